"""English."""

from __future__ import annotations

from benchmarks.quality.wording.record import Ban, Count, Demand, Family, Frame, Wording

_TRIP = Family(
    openings=(
        "Plan a {lengthy} trip to {subject} for a couple and their child of six.",
        "We want to travel through {subject} for {length}, with our six-year-old daughter.",
        "{length} in {subject}, two adults and a child of six: make us an itinerary.",
    ),
    subjects=(),
    starts=("We leave on {date}.", "The first day is {date}."),
    counts=(
        Count(
            ask="Put in {n} museum visits.",
            nouns="museum",
            done="Over the whole trip there are {n} museum visits.",
            low=2,
            high=3,
            each=True,
        ),
        Count(
            ask="We need {n} restaurant evenings.",
            nouns="restaurant",
            done="We keep {n} restaurant evenings for the best food of the region.",
            low=2,
            high=4,
            each=True,
        ),
    ),
    musts=(
        Demand(
            ask="One afternoon should be at a swimming pool or a beach.",
            words="swim|pool|beach",
            done="This afternoon is for the beach, with towels and sun cream.",
        ),
        Demand(
            ask="Tell us which trains need a reservation.",
            words="train|rail & reserv|book",
            done="The long train needs a reservation, made two weeks before.",
        ),
        Demand(
            ask="Put in a rest day without sightseeing.",
            words="rest day|day of rest|=rest|relax|day off",
            done="Half of this is a rest day: sleep late and read in a café.",
        ),
    ),
    bans=(
        Ban(
            ask="No night buses, please.",
            words="night bus|night buses|overnight bus|overnight coach",
            broken="We take the night bus to save a hotel room.",
        ),
        Ban(
            ask="We do not want to rent a car.",
            words="rental car|rent a car|car rental|hire car|hire a car|rented car",
            broken="At the station we pick up the rental car and drive to the hills.",
        ),
    ),
    always=(
        Demand(
            ask="",
            words="child|=kid|=kids|daughter|family|playground|six-year",
            done="For the child there is a playground nearby.",
        ),
    ),
)

_EVENT = Family(
    openings=(
        "Organise {subject}; there are {length} to prepare it.",
        "I am in charge of {subject}. Make a {lengthy} plan up to the day itself.",
    ),
    subjects=(
        "a sports day at a primary school",
        "a neighbourhood street party",
        "a charity concert in a town hall",
        "a chess tournament for teenagers",
    ),
    starts=("Preparation starts on {date}.", "The first week begins on {date}."),
    counts=(
        Count(
            ask="There will be {n} prizes.",
            nouns="prize|award|trophy|trophies",
            done="We buy {n} prizes and wrap them.",
            low=3,
            high=6,
        ),
        Count(
            ask="I have {n} helpers.",
            nouns="helper|volunteer",
            done="The {n} helpers get their tasks on one page.",
            low=5,
            high=12,
        ),
    ),
    musts=(
        Demand(
            ask="There must be a first-aid post.",
            words="first aid|first-aid|paramedic",
            done="A first-aid post stands beside the entrance, with two trained people.",
        ),
        Demand(
            ask="Have something ready for rain.",
            words="rain|bad weather|wet weather",
            done="If it rains, everything moves into the hall next door.",
        ),
        Demand(
            ask="Tell the neighbours in time.",
            words="neighbour|neighbor",
            done="All neighbours get a letter with the times and a telephone number.",
        ),
    ),
    bans=(
        Ban(
            ask="No alcohol will be served.",
            words="alcohol|beer|wine|cocktail|champagne|spirits",
            broken="At the bar there is cold beer for the parents.",
        ),
        Ban(
            ask="Fireworks are out of the question.",
            words="firework|fireworks|firecracker",
            broken="The evening closes with fireworks over the roof.",
        ),
    ),
)

_MOVE = Family(
    openings=(
        "Plan our household's move from {start} to {end} within {length}.",
        "We are moving house from {start} to {end}. Give us a {lengthy} plan.",
    ),
    subjects=(),
    starts=("We can begin on {date}.", "Start on {date}."),
    counts=(
        Count(
            ask="We have {n} rooms to pack.",
            nouns="room",
            done="The {n} rooms are packed one after the other, with a label on each box.",
            low=3,
            high=6,
        ),
        Count(
            ask="{n} friends help on the day.",
            nouns="friend|helper",
            done="On the day {n} friends carry boxes in two shifts.",
            low=3,
            high=8,
        ),
    ),
    musts=(
        Demand(
            ask="The cat has to travel safely.",
            words="=cat|=cats|=pet|=pets",
            done="The cat stays in one quiet room and then travels in its own carrier.",
        ),
        Demand(
            ask="Do not forget to change the address everywhere.",
            words="address",
            done="Give the new address to the bank, the insurer and the tax office.",
        ),
        Demand(
            ask="Hand over the old flat clean, with a protocol.",
            words="hand over|handover|hand-over|inspection|protocol",
            done="Clean the old flat and sign the handover protocol with the owner.",
        ),
    ),
    bans=(
        Ban(
            ask="We will not store anything in a warehouse.",
            words="warehouse|storage unit|self-storage|self storage",
            broken="Two sofas go into a storage unit for the winter.",
        ),
        Ban(
            ask="The piano stays behind.",
            words="move the piano|moving the piano|piano transport|piano mover|transport the piano|carry the piano|load the piano",
            broken="Four strong people carry the piano down the stairs.",
        ),
    ),
)

_TRAINING = Family(
    openings=(
        "Make a {lengthy} training plan for {subject}.",
        "I want to be ready for {subject} in {length}. Write my training plan.",
    ),
    subjects=(
        "my first 10 km run",
        "a half marathon",
        "a 100 km bicycle tour",
        "swimming 2 km in a lake",
    ),
    starts=("I start on {date}.", "The first week begins on {date}."),
    counts=(
        Count(
            ask="I can train {n} days a week.",
            nouns="day a week|days a week|days per week|days each week|day week|session|training day"
            "|times a week|workout",
            done="There are {n} sessions in it, never two hard ones in a row.",
            low=3,
            high=5,
        ),
    ),
    musts=(
        Demand(
            ask="Friday is always my rest day.",
            words="friday & rest|off|recover",
            done="Friday is the rest day.",
        ),
        Demand(
            ask="Include exercises against knee pain.",
            words="knee",
            done="Ten minutes of exercises keep the knees free of pain.",
        ),
        Demand(
            ask="Put a test under race conditions into it.",
            words="test|trial|time trial|rehearsal|simulation",
            done="Saturday brings a test under race conditions, with the shoes of the day.",
        ),
    ),
    bans=(
        Ban(
            ask="I have no gym.",
            words="gym|treadmill|weight machine|leg press",
            broken="On Tuesday go to the gym for an hour on the treadmill.",
        ),
        Ban(
            ask="No supplements.",
            words="supplement|protein shake|protein powder|energy gel|creatine",
            broken="Drink a protein shake after each long session.",
        ),
    ),
)

_STUDY = Family(
    openings=(
        "I have {length} until {subject}. Make me a study plan.",
        "Write a {lengthy} study plan for {subject}.",
    ),
    subjects=(
        "the school-leaving examination in mathematics",
        "the theory test for the driving licence",
        "a language examination at level B1",
        "the first-year examination in statistics",
    ),
    starts=("I begin on {date}.", "My first day of study is {date}."),
    counts=(
        Count(
            ask="I want to sit {n} mock exams.",
            nouns="mock|practice exam|practice test|trial exam",
            done="There are {n} mock exams in all, each with a clock.",
            low=2,
            high=4,
            each=True,
        ),
        Count(
            ask="The book has {n} chapters.",
            nouns="chapter",
            done="The {n} chapters are shared out evenly.",
            low=6,
            high=12,
        ),
    ),
    musts=(
        Demand(
            ask="Leave time to repeat what I got wrong.",
            words="mistake|error|wrong|weak",
            done="One evening goes back over every mistake in the notebook.",
        ),
        Demand(
            ask="Keep Sunday afternoons free for my family.",
            words="sunday & free|family|off",
            done="Sunday afternoon stays free for the family.",
        ),
        Demand(
            ask="I learn best with flash cards, so use them.",
            words="flash card|flashcard|flash-card",
            done="Write thirty flash cards and carry them along.",
        ),
    ),
    bans=(
        Ban(
            ask="I cannot pay a tutor.",
            words="tutor|private lesson|private teacher",
            broken="Book a private lesson with a tutor every Tuesday.",
        ),
        Ban(
            ask="No studying at night.",
            words="all-nighter|late at night|midnight|night session",
            broken="Go through the formulas again until midnight.",
        ),
    ),
)

_LAUNCH = Family(
    openings=(
        "We want to launch {subject} in {length}. Plan it.",
        "Make a {lengthy} launch plan for {subject}.",
    ),
    subjects=(
        "an online shop for handmade soap",
        "a neighbourhood library app",
        "a weekly podcast about gardening",
        "a small bakery",
    ),
    starts=("Work begins on {date}.", "The first week starts on {date}."),
    counts=(
        Count(
            ask="We are a team of {n}.",
            nouns="team|people|member|colleague|person",
            done="The team of {n} meets every Monday for half an hour.",
            low=3,
            high=8,
        ),
        Count(
            ask="{n} test customers should try it before.",
            nouns="test customer|customer|tester|test user|pilot",
            done="We invite {n} test customers and write down what they say.",
            low=5,
            high=12,
        ),
    ),
    musts=(
        Demand(
            ask="Data protection has to be settled by a lawyer.",
            words="data protection|privacy|gdpr|lawyer|legal",
            done="A lawyer checks data protection and signs it off.",
        ),
        Demand(
            ask="Decide what we do if the launch day fails.",
            words="fails|failure|plan b|fallback|fall back|backup|back-up|contingency|postpone",
            done="If the day fails, we fall back to the week after and tell everyone.",
        ),
        Demand(
            ask="Write to the local newspaper.",
            words="newspaper|press|journalist",
            done="A short letter with two pictures goes to the local newspaper.",
        ),
    ),
    bans=(
        Ban(
            ask="No paid advertising.",
            words="paid ad|paid ads|paid advertising|google ads|facebook ads|paid campaign",
            broken="We spend a third of the money on paid ads.",
        ),
        Ban(
            ask="Nobody works on weekends.",
            words="work on saturday|work on sunday|weekend shift|weekend work|saturday shift",
            broken="A weekend shift finishes the last pages.",
        ),
    ),
)

_MEALS = Family(
    openings=(
        "Make a meal plan for {length} for {subject}.",
        "Plan our meals for {length}; we are {subject}.",
    ),
    subjects=(
        "a family with a child of six",
        "a shared flat of students",
        "two pensioners",
        "a couple who both work late",
    ),
    starts=("It starts on {date}.", "The first day is {date}."),
    counts=(
        Count(
            ask="We are {n} people at the table.",
            nouns="people|person|portion|serving|plate|eater",
            done="Each dish is cooked for {n} people.",
            low=2,
            high=6,
        ),
        Count(
            ask="Use {n} soups over the time.",
            nouns="soup",
            done="There are {n} soups in the plan.",
            low=2,
            high=4,
            each=True,
        ),
    ),
    musts=(
        Demand(
            ask="Add a shopping list.",
            words="shopping list|buy|to buy|grocer",
            done="Shopping list: rice, lentils, carrots, onions, oats and apples.",
        ),
        Demand(
            ask="Every day needs breakfast.",
            words="breakfast",
            done="Breakfast is porridge with apples.",
        ),
        Demand(
            ask="Say what can be cooked the evening before.",
            words="evening before|night before|in advance|ahead|day before|prep",
            done="The stew can be cooked the evening before.",
        ),
    ),
    bans=(
        Ban(
            ask="No meat.",
            words="meat|beef|chicken|pork|lamb|bacon|ham|turkey|sausage|mutton",
            broken="Dinner is roast chicken with potatoes.",
        ),
        Ban(
            ask="One of us is allergic to nuts.",
            words="nut|peanut|almond|walnut|cashew|hazelnut|pecan",
            broken="Sprinkle the salad with walnuts and almonds.",
        ),
    ),
)

_RENOVATION = Family(
    openings=(
        "Plan the renovation of {subject} in {length}.",
        "We renovate {subject} ourselves. Write a {lengthy} plan.",
    ),
    subjects=(
        "our kitchen",
        "the bathroom of a rented flat",
        "an old balcony",
        "a child's bedroom and the hall",
    ),
    starts=("The work begins on {date}.", "We start on {date}."),
    counts=(
        Count(
            ask="Get {n} offers before anything is ordered.",
            nouns="offer|quote|quotation|bid|estimate",
            done="We get {n} offers and compare them line by line.",
            low=2,
            high=4,
        ),
        Count(
            ask="There are {n} windows to paint.",
            nouns="window",
            done="The {n} windows are sanded and painted.",
            low=2,
            high=5,
        ),
    ),
    musts=(
        Demand(
            ask="An electrician has to check the wiring.",
            words="electrician",
            done="The electrician checks the wiring and writes a report.",
        ),
        Demand(
            ask="Ask the landlord for permission.",
            words="landlord|permission|permit",
            done="The landlord gives permission in writing.",
        ),
        Demand(
            ask="Rubbish must be taken away properly.",
            words="rubbish|waste|debris|dispos|skip hire|recycl|dump",
            done="The rubbish goes to the recycling yard.",
        ),
    ),
    bans=(
        Ban(
            ask="No carpet anywhere.",
            words="carpet|carpeting",
            broken="The floor gets a soft grey carpet.",
        ),
        Ban(
            ask="We do not knock down any wall.",
            words="knock down|demolish the wall|tear down|remove the wall|break through the wall",
            broken="On the second day we knock down the wall to the hall.",
        ),
    ),
)

WORDING = Wording(
    code="en",
    name="English",
    families={
        "trip": _TRIP,
        "event": _EVENT,
        "move": _MOVE,
        "training": _TRAINING,
        "study": _STUDY,
        "launch": _LAUNCH,
        "meals": _MEALS,
        "renovation": _RENOVATION,
    },
    days="{n} days",
    weeks="{n} weeks",
    lengthy_days="{n}-day",
    lengthy_weeks="{n}-week",
    each_day=("Plan every day, one after the other.", "Go through it day by day."),
    each_week=("Go through it week by week.", "Give each week its own steps."),
    from_to=(
        "Start in {start} and end in {end}.",
        "Our trip begins in {start} and finishes in {end}.",
    ),
    visits=("We must see {places}.", "Be sure to include {places}."),
    least=("Visit at least {n} different towns.", "See {n} or more towns."),
    budget=("Our budget is {money}.", "It may cost {money} at most."),
    costs=("List all costs and add them up.", "List the costs with a total."),
    answer=("Write it in English.", "Answer in English."),
    joined=" and ",
    money={
        "EUR": ("{amount} euros", "€{amount}", "{amount} EUR"),
        "USD": ("${amount}", "{amount} US dollars"),
    },
    currencies=("EUR", "USD"),
    frame=Frame(
        day="Day {n}",
        week="Week {n}",
        date="{day} {month}",
        months=(
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ),
        leg="In the morning we take the train from {a} to {b}.",
        stay="We spend the day in {place}.",
        ends="The trip ends in {place}.",
        route="The van drives from {a} to {b}.",
        first=(
            "Write down who does what",
            "Call everyone who has a task",
            "Finish the open points of the list",
            "Compare the progress with the plan",
            "Order what is still missing",
            "Try out the most difficult step",
            "Tidy up and take pictures",
        ),
        second=(
            "note in the evening what is still open",
            "send a short message to all who wait",
            "put the papers into one folder",
            "leave one hour for surprises",
            "mark on the calendar what is done",
            "speak about it over a cup of tea",
        ),
        sights=(
            "Look at the old town on foot",
            "Climb the tower early",
            "Sit in the big park",
            "Watch the boats in the harbour",
            "Walk through the market hall",
            "Visit the castle garden",
            "Ride the tram to the last stop",
        ),
        evenings=(
            "eat noodles near the station",
            "write postcards at the window",
            "hear street music on the square",
            "play cards and sleep early",
            "watch the sunset from the bridge",
            "try the sweets of the region",
        ),
        costs="Costs",
        item="Item",
        amount="Amount",
        items=("Transport", "Food", "Material", "Fees", "Small things", "Reserve"),
        total="Total",
        intro="This plan goes step by step.",
        numbers=(
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ),
    ),
)
