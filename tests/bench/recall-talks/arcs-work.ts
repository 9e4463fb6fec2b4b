import { type Arc, step } from './arc.ts'

/** Work, study, money, causes. */
export const WORK_ARCS: readonly Arc[] = [
  {
    slots: {
      job: ['pediatric nurse', 'park ranger', 'court interpreter', 'sound engineer'],
      city: ['Denver', 'Lisbon', 'Halifax', 'Oslo'],
    },
    steps: [
      step(
        [
          'A: I quit. Eleven years in that bank and it took me four minutes to say it.',
          'B: Wow, {A}! What did your boss say?',
          'A: Nothing at all. She just shook my hand for a very long time.',
          'B: And what comes next?',
          'A: Back to school. I want to become a {job}, I always have.',
        ],
        ['How long had {A} worked at the bank?', 0],
        ["What was the reaction of {A}'s manager?", 2],
        ['What profession does {A} dream of?', 4],
      ),
      step(
        [
          'B: Did you hear back from the schools?',
          'A: Two rejections and one yes, from {city}! Classes begin in September.',
          'B: You have to move, then. How do you feel?',
          'A: Terrified about the loans, to be honest. It is forty thousand in total.',
        ],
        ['Where was {A} accepted to study?', 1],
        ['How many schools turned {A} down?', 1],
        ['How much debt will {A} take on for the degree?', 3],
        ['What worries {A} about going back to school?', 3],
      ),
      step(
        [
          'A: First exam is behind me. I was the oldest in the room by a decade.',
          'B: How did it go?',
          'A: Ninety-one percent! I called my mother from the parking lot.',
        ],
        ["What was {A}'s score in the first test?", 2],
        ['Whom did {A} phone after the exam?', 2],
      ),
    ],
    across: [['How did the career of {A} change?', [0, 0], [0, 4], [1, 1]]],
  },
  {
    slots: {
      shop: ['bakery', 'bookstore', 'bike repair shop', 'flower shop'],
      item: ['cardamom buns', 'used atlases', 'cargo bikes', 'wreaths'],
    },
    steps: [
      step(
        [
          'A: I signed the lease! In May I open my own {shop} on the corner of Elm Street.',
          'B: I am so happy for you! How will you pay for it?',
          'A: My savings, and a loan from the credit union that they turned down twice before.',
          'B: They will regret having waited.',
        ],
        ['What kind of business is {A} starting?', 0],
        ['How does {A} finance the {shop}?', 2],
        ["Where is {A}'s shop located?", 0],
      ),
      step(
        [
          'B: How was the grand opening?',
          'A: The line went around the block. The {item} were gone by ten.',
          'B: Incredible! Do you need more hands?',
          'A: I hired two students, and my uncle does the books at night.',
        ],
        ['What sold out on opening day?', 1],
        ['Who keeps the accounts of the {shop}?', 3],
        ['How many employees did {A} take on?', 3],
      ),
      step(
        [
          'A: The landlord wants to raise the rent by a third. I could not sleep.',
          'B: That is outrageous. What will you do?',
          'A: The customers wrote a petition, nine hundred names. He is going to think about it.',
        ],
        ['What problem does {A} have with the owner of the building?', 0],
        ['How did the customers support {A}?', 2],
      ),
    ],
  },
  {
    slots: { cause: ['homeless shelter', 'hospice', 'refugee center', 'food bank'] },
    steps: [
      step(
        [
          'A: I have started helping at the {cause} on Wednesday nights.',
          'B: That is lovely. What do you do there?',
          'A: Mostly I peel potatoes and listen. There is a man, Walter, who used to be a pilot.',
          'B: The stories he must have!',
        ],
        ['Where does {A} volunteer?', 0],
        ['On which day of the week does {A} do volunteer work?', 0],
        ['What was the former job of the man {A} met?', 2],
      ),
      step(
        [
          'A: The city wants to close the {cause}. I spoke at the council meeting last night.',
          'B: You? In front of everybody? You hate microphones!',
          'A: My knees shook the whole time. But they postponed the vote.',
        ],
        ['What happened to the plan to shut down the {cause}?', 2],
        ['Why did {A} give a speech?', 0],
        ['How did {A} feel while speaking in public?', 2],
      ),
    ],
  },
  {
    slots: { language: ['Portuguese', 'Korean', 'sign language', 'Swahili'] },
    steps: [
      step(
        [
          'A: I have been taking {language} lessons since New Year, forty days in a row on the app.',
          'B: Impressive! Why that one?',
          'A: My new neighbors speak it, and their little girl waves at me every morning.',
        ],
        ['Which language is {A} studying?', 0],
        ['What is the reason {A} learns a new language?', 2],
        ['How long is the streak of {A} in the app?', 0],
      ),
      step(
        [
          'B: So, can you hold a conversation by now?',
          'A: Yesterday I told the neighbors a whole joke. Nobody laughed, but they understood every word!',
          'B: That counts.',
          'A: They have invited me to their daughter’s birthday.',
        ],
        ['What did {A} tell the neighbors?', 1],
        ['To which celebration was {A} invited?', 3],
      ),
    ],
  },
  {
    slots: {
      prize: ['Golden Quill', 'Harlow Prize', 'Lantern Award', 'Meridian Medal'],
      subject: ['lighthouse keepers', 'beekeepers', 'night trains', 'a clockmaker'],
    },
    steps: [
      step(
        [
          'A: I finished the first draft! Three hundred pages about {subject}.',
          'B: Bravo! Who gets to read it first?',
          'A: You, if you promise to be cruel. And my old professor.',
          'B: I will bring a red pen.',
        ],
        ["What is {A}'s novel about?", 0],
        ['Who will review the manuscript?', 2],
        ['How long is the book {A} wrote?', 0],
      ),
      step(
        [
          'B: Have the publishers answered?',
          'A: Fourteen said no. The fifteenth called me on my lunch break, and I thought it was a prank.',
          'B: I knew it! When does it come out?',
          'A: Next spring, and they have put it forward for the {prize}.',
        ],
        ['How many publishers rejected {A}?', 1],
        ['When will the book of {A} be published?', 3],
        ['For which award was the book nominated?', 3],
        ["What was {A}'s first thought when the publisher phoned?", 1],
      ),
    ],
  },
  {
    slots: { car: ['van', 'motorcycle', 'pickup', 'convertible'] },
    steps: [
      step(
        [
          'A: The mechanic looked at my {car} and took off his hat. The engine is dead.',
          'B: Oh dear. Is it worth repairing?',
          'A: Two thousand for a new one, he said, and he would not do it if he were me.',
          'B: So what are you going to do?',
          'A: Sell it for parts and take the bus. I need the exercise anyway.',
        ],
        ["What is wrong with {A}'s vehicle?", 0],
        ['How much would the repair cost?', 2],
        ['How does {A} plan to get around without the {car}?', 4],
      ),
      step(
        [
          'A: I won an electric bike in the raffle at the fair! I never win anything.',
          'B: See, the universe wants you off the bus.',
          'A: I rode it home in the rain, singing.',
        ],
        ['What did {A} win?', 0],
        ['Where did {A} win the prize?', 0],
      ),
    ],
  },
  {
    slots: {
      river: ['Willow Creek', 'Marsh Bay', 'Stone Harbor', 'Fox Lake'],
      animal: ['otters', 'herons', 'turtles', 'salmon'],
    },
    steps: [
      step(
        [
          'A: Our group picked up trash along {river} all Sunday. Six hundred pounds of it!',
          'B: Disgusting and wonderful. What was the strangest thing?',
          'A: A piano. An actual upright piano, with a nest in it.',
        ],
        ['Which place did {A} help to clean?', 0],
        ['What odd object was among the garbage?', 2],
        ['How much waste was collected?', 0],
      ),
      step(
        [
          'A: The {animal} are back at {river}! I saw three of them at dawn.',
          'B: After all that work! You must be over the moon.',
          'A: I sat in the reeds and wept a little. Do not tell the group.',
        ],
        ['Which animals returned after the cleanup?', 0],
        ['How did {A} react to seeing the animals?', 2],
      ),
    ],
  },
  {
    slots: {
      company: ['Northwind', 'Bluefin', 'Kestrel', 'Halcyon'],
      role: ['team lead', 'head of design', 'regional manager', 'chief of staff'],
    },
    steps: [
      step(
        [
          'A: They offered me the {role} position at {company}, and I have until Friday to decide.',
          'B: Congratulations! Why do you hesitate?',
          'A: It would mean travel every other week, and the twins are only six.',
          'B: What does Jamie think?',
          'A: Jamie says take it, we will manage, and then looked at the laundry.',
        ],
        ['What promotion was {A} offered?', 0],
        ["What is {A}'s concern about accepting the new role?", 2],
        ["How old are {A}'s children?", 2],
        ['By when does {A} have to make up their mind?', 0],
      ),
      step(
        [
          'B: So, did you take it?',
          'A: I said yes, on the condition that I fly only once a month. They agreed right away, I should have asked for more!',
          'B: Smart. When do you start?',
          'A: The Monday after Thanksgiving.',
        ],
        ['What condition did {A} negotiate with {company}?', 1],
        ['When does {A} begin the new job?', 3],
      ),
    ],
  },
  {
    slots: { talk: ['bees', 'black holes', 'urban trees', 'sleep'] },
    steps: [
      step(
        [
          'A: I have to give a presentation on {talk} at my son’s school.',
          'B: Fun! How old are the kids?',
          'A: Nine, the most merciless age. I am building a model out of cardboard.',
        ],
        ['On what subject will {A} talk to the pupils?', 0],
        ['What prop does {A} make for the presentation?', 2],
        ['What age are the students {A} will speak to?', 2],
      ),
      step(
        [
          'A: The school thing was a hit. One boy asked if he could come and live with us.',
          'B: Ha! And what did you answer?',
          'A: That he would have to share a room with the cardboard.',
        ],
        ['What did a boy ask {A} after the presentation?', 0],
        ["What was {A}'s reply to the boy?", 2],
      ),
    ],
  },
]
