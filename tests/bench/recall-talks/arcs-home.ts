import { type Arc, step } from './arc.ts'

/** Home, family, health. */
export const HOME_ARCS: readonly Arc[] = [
  {
    slots: { pet: ['greyhound', 'beagle', 'corgi', 'poodle'], pet_name: ['Biscuit', 'Waffles', 'Juniper', 'Pickle'] },
    steps: [
      step(
        [
          'A: Guess what, I went to the animal shelter last Saturday and came home with company!',
          'B: No way! What did you bring home?',
          'A: A {pet}, about four years old. She was hiding in the back and then put her head on my shoe.',
          'B: Aw, that is how they choose you. Does she have a name yet?',
          'A: {pet_name}, after what my grandmother always had in her kitchen.',
        ],
        ['Which breed of dog did {A} adopt?', 2],
        ["What is {A}'s dog called?", 4],
        ['When did {A} get the dog from the shelter?', 0],
        ["Who inspired the name of {A}'s dog?", 4],
      ),
      step(
        [
          'B: How is the little one settling in?',
          'A: She chewed through two pairs of sneakers this week, so we started obedience lessons on Tuesdays.',
          'B: Ha, classic. Is it helping?',
          'A: She sits now, but only for cheese. The vet also says her hips are weak, so no long runs.',
        ],
        ["What has {A}'s dog destroyed?", 1],
        ['What training is {A} doing with the dog?', 1],
        ['What health problem does the dog of {A} have?', 3],
        ['Which reward makes {pet_name} obey?', 3],
      ),
    ],
    across: [["What have we learned about the behaviour of {A}'s dog?", [1, 1], [1, 3]]],
  },
  {
    slots: { country: ['Vietnam', 'Colombia', 'Ghana', 'Romania'] },
    steps: [
      step(
        [
          'A: I have been reading about becoming a parent on my own. I met with two agencies this week.',
          'B: That is huge, {A}. What made you decide?',
          'A: Growing up in foster care. I always told myself I would give some kid a home that stays.',
          'B: You would be wonderful at it. Any idea how long it takes?',
          'A: Eighteen months if I am lucky, and there is a home study first.',
        ],
        ['Why does {A} want to adopt a child?', 2],
        ['What did {A} say about the plans for adoption?', 0],
        ['How long might the adoption process last for {A}?', 4],
        ['Did {A} spend time in foster care as a kid?', 2],
      ),
      step(
        [
          'B: Any news from the agency?',
          'A: Yes! The social worker came by on Thursday, looked at every room and then stayed for tea.',
          'B: Sounds like she liked you.',
          'A: She approved me on the spot. Now they try to match me with siblings from {country}.',
        ],
        ["Who inspected {A}'s house?", 1],
        ['What was the outcome of the home study?', 3],
        ['From which country might the children of {A} come?', 3],
      ),
    ],
  },
  {
    slots: {
      dish: ['lasagna', 'ramen', 'pierogi', 'jambalaya'],
      secret: ['nutmeg', 'miso', 'smoked paprika', 'anchovies'],
    },
    steps: [
      step(
        [
          'A: I burned dinner again, so I signed up for an evening course at the culinary school.',
          'B: Good for you! What are they teaching first?',
          'A: Knife skills, then sauces. On the last night we each make {dish} for forty people.',
          'B: Forty! I would faint.',
        ],
        ['Why did {A} enroll in a cooking course?', 0],
        ['What meal will {A} prepare for a crowd?', 2],
        ['What does {A} learn in the beginning of the class?', 2],
      ),
      step(
        [
          'B: So how was the big night in the kitchen?',
          'A: They ate everything. The chef asked what I had put in, and it was just {secret}.',
          'B: Your secret weapon! Did you get a diploma?',
          'A: A certificate and an apron with my name stitched on it. I hung it in the hall.',
        ],
        ["Which ingredient made {A}'s dish special?", 1],
        ['What did {A} receive for finishing the cooking class?', 3],
        ['Where does {A} keep the apron?', 3],
      ),
    ],
  },
  {
    slots: { room: ['attic', 'basement', 'garage', 'sunroom'] },
    steps: [
      step(
        [
          'A: We finally tore out the old carpet in the {room}. Under it there were oak boards, a hundred years old!',
          'B: What a find. Will you keep them?',
          'A: Sanding them this weekend. My brother-in-law lends me his machine.',
          'B: Wear a mask, that dust is awful.',
        ],
        ['What did {A} discover beneath the carpet?', 0],
        ['Who is lending {A} a sander?', 2],
        ['Which part of the house is {A} renovating?', 0],
      ),
      step(
        [
          'B: Is the renovation finished?',
          'A: Almost. A pipe burst on Monday and ruined the fresh paint, so I am repainting it sage green.',
          'B: Oh no. Was it expensive?',
          'A: The insurance paid all but three hundred dollars, thank goodness.',
        ],
        ["What damaged {A}'s new paint?", 1],
        ['Which color did {A} pick for the walls?', 1],
        ['How much did {A} have to pay for the water damage?', 3],
      ),
    ],
  },
  {
    slots: {
      distance: ['half marathon', 'triathlon', 'ten-mile race', 'ultramarathon'],
      injury: ['ankle', 'knee', 'Achilles tendon', 'hip'],
    },
    steps: [
      step(
        [
          'A: My doctor scared me about my blood pressure, so I have begun to run before work.',
          'B: Before work? What time do you get up?',
          'A: Five fifteen. It is dark, but the river is all mine.',
          'B: Respect. Are you training for something?',
          'A: The {distance} in the fall. There, I said it, now I have to do it.',
        ],
        ['What motivated {A} to start running?', 0],
        ['When does {A} wake up to exercise?', 2],
        ['Which race is {A} preparing for?', 4],
        ['Where does {A} jog in the mornings?', 2],
      ),
      step(
        [
          'A: Bad news, I twisted my {injury} on the stairs and the physio says six weeks without running.',
          'B: Oh {A}, I am sorry. What can you do in the meantime?',
          'A: Swim. I hate chlorine, but I hate the couch more.',
        ],
        ['How did {A} get hurt?', 0],
        ['How long must {A} pause the training?', 0],
        ['What sport does {A} do while injured?', 2],
      ),
      step(
        [
          'B: How did the race go?',
          'A: I came in next to last and cried at the finish line. My sister held up a sign with my face on it.',
          'B: That is the best thing I have heard all week.',
          'A: And my blood pressure is back to normal, the doctor could not believe it.',
        ],
        ['What place did {A} finish in?', 1],
        ['Who cheered for {A} at the race?', 1],
        ["How is {A}'s health after months of running?", 3],
      ),
    ],
    across: [['What setbacks and successes did {A} have with running?', [1, 0], [2, 1], [2, 3]]],
  },
  {
    slots: { plant: ['tomatoes', 'sunflowers', 'dahlias', 'pumpkins'], pest: ['slugs', 'aphids', 'deer', 'raccoons'] },
    steps: [
      step(
        [
          'A: The community garden gave me plot number nineteen after three years on the waiting list!',
          'B: Finally! What will you grow?',
          'A: {plant}, mostly, and a row of beans for the neighbors.',
          'B: Save some for me.',
        ],
        ['How long did {A} wait for a spot in the garden?', 0],
        ['What is {A} planting?', 2],
        ['Who gets the beans?', 2],
      ),
      step(
        [
          'B: How does your garden grow?',
          'A: The {pest} ate nearly everything in one night. I stood there with my coffee and just stared.',
          'B: Oh no! What now?',
          'A: Copper tape, eggshells, and an old man two plots over who swears by beer traps.',
        ],
        ["What ruined {A}'s crop?", 1],
        ['What does {A} try against the pests?', 3],
        ['Who gave {A} advice on gardening?', 3],
      ),
    ],
  },
  {
    slots: {
      relative: ['grandfather', 'grandmother', 'great-aunt', 'uncle'],
      town: ['Trieste', 'Galway', 'Lviv', 'Salonica'],
    },
    steps: [
      step(
        [
          'A: While we cleared the house I found a shoebox with letters that my {relative} wrote during the war.',
          'B: How moving. Can you read the handwriting?',
          'A: Barely. They are in a dialect, so a retired teacher translates them with me on Sundays.',
          'B: What do they tell?',
          'A: That the family fled from {town} with one suitcase and a canary.',
        ],
        ["What did {A} find in the relative's house?", 0],
        ['Who helps {A} translate the letters?', 2],
        ["Where did {A}'s family originally come from?", 4],
        ["What did {A}'s family carry when they escaped?", 4],
      ),
      step(
        [
          'A: I booked it. In June I fly to {town} to see the street from the letters.',
          'B: Will you go by yourself?',
          'A: My mom comes along. She has never seen it, and she has packed already.',
        ],
        ['When is {A} traveling to the ancestral town?', 0],
        ['Who accompanies {A} on the trip to {town}?', 2],
      ),
    ],
  },
  {
    slots: {
      sickness: ['migraines', 'insomnia', 'panic attacks', 'back pain'],
      cure: ['acupuncture', 'yoga', 'cold showers', 'meditation'],
    },
    steps: [
      step(
        [
          'A: Honestly, the {sickness} came back. I missed three days at the office.',
          'B: I am so sorry. What do the doctors say?',
          'A: Less screen time, less coffee, and someone to talk to. I found a therapist named Ruth.',
          'B: That takes courage, {A}. I am proud of you.',
        ],
        ['What condition does {A} suffer from?', 0],
        ["Who is {A}'s therapist?", 2],
        ['What lifestyle changes were recommended to {A}?', 2],
        ['How many days of work did {A} miss?', 0],
      ),
      step(
        [
          'B: You look rested on that photo!',
          'A: I sleep again. What did it, of all things, was {cure}.',
          'B: Really? I thought you made fun of that.',
          'A: I did. Now I go twice a week and drag my cousin along.',
        ],
        ['What helped {A} feel better?', 1],
        ['How often does {A} practice {cure}?', 3],
        ['Who joins {A} there?', 3],
      ),
    ],
  },
  {
    slots: { baby: ['Theodore', 'Matilda', 'Rosalind', 'Casper'] },
    steps: [
      step(
        [
          'A: I am going to be an aunt! My sister told us over dessert and Dad dropped his spoon.',
          'B: Congratulations! When is the baby due?',
          'A: The second week of February, if it is as punctual as she is.',
          'B: Will you knit something?',
          'A: A blanket. I have never knitted, so it will be a very small one.',
        ],
        ["How did {A}'s father react to the pregnancy?", 0],
        ['When will the niece or nephew of {A} be born?', 2],
        ['What is {A} making for the newborn?', 4],
      ),
      step(
        [
          'A: {baby} is here! Seven pounds, and lungs like an opera singer.',
          'B: What wonderful news! How is your sister?',
          'A: Tired and happy. She was in labor for twenty hours.',
        ],
        ["What is the name of {A}'s sister's baby?", 0],
        ['How long did the birth take?', 2],
        ['How much did the newborn weigh?', 0],
      ),
    ],
  },
  {
    slots: { heirloom: ['pocket watch', 'pearl necklace', 'violin', 'fountain pen'] },
    steps: [
      step(
        [
          'A: Somebody broke into our place while we were at the movies.',
          'B: Oh my god. Is everybody safe?',
          'A: Yes, but they took my {heirloom}, and that is the one thing I cannot replace.',
          'B: I am heartbroken for you. Did the police come?',
          'A: An officer wrote it all down and told us not to hope for much.',
        ],
        ["What was stolen from {A}'s home?", 2],
        ['Where was {A} when the burglary happened?', 0],
        ['What did the police tell {A}?', 4],
      ),
      step(
        [
          'A: You will not believe this: a pawn shop in the next town had it in the window!',
          'B: Your {heirloom}? How did you find it?',
          'A: A friend sent me a picture. I bought it back for eighty dollars, and I would have paid ten times that.',
        ],
        ['Where did the stolen item turn up?', 0],
        ['How much did {A} spend to get the {heirloom} back?', 2],
        ['Who spotted the missing {heirloom}?', 2],
      ),
    ],
  },
]
