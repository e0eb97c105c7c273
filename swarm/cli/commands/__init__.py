"""One module a command. At their top they import click and this package's light parts only."""
