import { type Arc, step } from './arc.ts'

/** Travel, art, music, games, friends. */
export const LEISURE_ARCS: readonly Arc[] = [
  {
    slots: {
      place: ['Iceland', 'Patagonia', 'Kyoto', 'Zanzibar'],
      mishap: ['passport', 'camera', 'wedding ring', 'phone'],
    },
    steps: [
      step(
        [
          'A: Two weeks from now I will be in {place}! I saved for it since college.',
          'B: You always talked about that. Who is coming with you?',
          'A: Nobody. My first trip alone, and my aunt has already lit a candle for me.',
          'B: You will love it. Send me pictures!',
        ],
        ['Where is {A} going on vacation?', 0],
        ['With whom does {A} travel?', 2],
        ['How long has {A} been saving money for the journey?', 0],
      ),
      step(
        [
          'B: Welcome back! How was it?',
          'A: Breathtaking, until I lost my {mishap} on the ferry.',
          'B: Oh no! What did you do?',
          'A: A fisherman found it in his net the next day and would not take a cent. We still write to each other.',
        ],
        ['What did {A} lose during the trip?', 1],
        ['Who returned what {A} had lost?', 3],
        ['Is {A} still in touch with the fisherman?', 3],
      ),
    ],
  },
  {
    slots: {
      medium: ['watercolor', 'oil', 'charcoal', 'linocut'],
      motif: ['the harbor at dusk', 'my empty chair', 'a field of crows', 'the old mill'],
    },
    steps: [
      step(
        [
          'A: Look, this is what I have been up to at night. My first {medium} in ten years.',
          'B: You made that? It is stunning! What is it?',
          'A: It is {motif}. I painted it after the funeral, I could not do anything else.',
          'B: It says everything.',
        ],
        ['What does the picture by {A} show?', 2],
        ['Which technique does {A} use for art?', 0],
        ['What led {A} to paint again?', 2],
      ),
      step(
        [
          'A: A café wants to hang my pictures for a month! Twelve of them.',
          'B: An exhibition! When can I see it?',
          'A: It opens on the third of October. There will be bad wine and my entire family.',
        ],
        ["Where are {A}'s paintings exhibited?", 0],
        ['When is the opening of the art show?', 2],
        ['How many works of art will {A} display?', 0],
      ),
      step(
        [
          'B: Did you sell any at the café?',
          'A: Three! One went to a stranger who stood before it for half an hour and then left a check.',
          'B: I have goosebumps.',
        ],
        ['How many paintings were bought?', 1],
        ['Who purchased a painting from {A}?', 1],
      ),
    ],
  },
  {
    slots: {
      instrument: ['cello', 'banjo', 'accordion', 'clarinet'],
      piece: ['a Bach suite', 'an old sea shanty', 'a waltz', 'the blues'],
    },
    steps: [
      step(
        [
          'A: I bought a {instrument} at a flea market for fifty bucks. It wheezes, but it plays.',
          'B: Can you even play one?',
          'A: Not a note. A neighbor gives me lessons in exchange for fixing her computer.',
        ],
        ['Which musical instrument did {A} buy?', 0],
        ['How does {A} pay for music lessons?', 2],
        ['What was the price of the {instrument}?', 0],
      ),
      step(
        [
          'A: I played {piece} in front of people. At a wedding! My hands were ice.',
          'B: Whose wedding was it?',
          'A: My teacher’s niece. They danced, so it cannot have been that bad.',
        ],
        ['What music did {A} perform?', 0],
        ['At which event did {A} play the {instrument}?', 0],
        ['Who got married?', 2],
      ),
    ],
  },
  {
    slots: { game: ['chess', 'Scrabble', 'darts', 'backgammon'] },
    steps: [
      step(
        [
          'A: I joined the {game} club at the library. The average age is eighty.',
          'B: Do they let you win?',
          'A: Never! A lady called Edna beat me in nine minutes and then patted my arm.',
        ],
        ['Which club did {A} become a member of?', 0],
        ['Who defeated {A}?', 2],
        ['How quickly did {A} lose?', 2],
      ),
      step(
        [
          'A: Second place in the {game} tournament! There is a tiny trophy on my fridge.',
          'B: Who took first?',
          'A: Edna, of course. She drove us home afterwards, at ninety miles an hour.',
        ],
        ['How did {A} do in the tournament?', 0],
        ['Where does {A} display the trophy?', 0],
        ['Who won the tournament?', 2],
      ),
    ],
  },
  {
    slots: { peak: ['Mount Hood', 'Ben Nevis', 'Pico', 'Table Mountain'] },
    steps: [
      step(
        [
          'A: We are going up {peak} at the end of August, my college roommates and I.',
          'B: Is it dangerous?',
          'A: Only the last hour. I bought boots a size too large on purpose, for the way down.',
        ],
        ['Which mountain does {A} want to climb?', 0],
        ['Who will hike with {A}?', 0],
        ['Why are the boots of {A} too big?', 2],
      ),
      step(
        [
          'B: Did you make it to the top?',
          'A: A storm hit us and we turned back two hundred meters below the summit.',
          'B: You must have been crushed.',
          'A: No, strangely. We drank cocoa in the hut and sang until the lightning had moved on.',
        ],
        ['Did {A} reach the summit?', 1],
        ['What forced the hikers to give up?', 1],
        ['How did {A} spend the time in the hut?', 3],
      ),
    ],
  },
  {
    slots: {
      show: ['Hamlet', 'Grease', 'The Seagull', 'Annie'],
      part: ['a ghost', 'the nurse', 'a drunk sailor', 'the mayor'],
    },
    steps: [
      step(
        [
          'A: I auditioned for the community theater. They are doing {show} this winter.',
          'B: You on a stage! Did you get a part?',
          'A: I am {part}. I have eleven words, and I practice them in the shower.',
        ],
        ['What role does {A} have in the play?', 2],
        ['Which production did {A} try out for?', 0],
        ['Where does {A} rehearse?', 2],
      ),
      step(
        [
          'B: I clapped so loud my hands still hurt. How did you feel up there?',
          'A: I forgot four of my eleven words and made up better ones. The director kissed me on both cheeks.',
          'B: A star is born.',
        ],
        ['What went wrong during the performance?', 1],
        ['Was the director happy with {A}?', 1],
      ),
    ],
  },
  {
    slots: { friend: ['Rosa', 'Malik', 'Ingrid', 'Teo'] },
    steps: [
      step(
        [
          'A: {friend} and I are not speaking. Fifteen years, and it ended over a borrowed tent.',
          'B: A tent? There must be more behind it.',
          'A: There is. I was not told about the wedding, I saw it in a photo.',
          'B: That must have hurt a lot.',
        ],
        ['What did {A} and {friend} quarrel about?', 0],
        ['How did {A} find out about the marriage?', 2],
        ['How long had {A} been friends with {friend}?', 0],
      ),
      step(
        [
          'A: {friend} rang my doorbell last night, with the tent, and both of us just started laughing.',
          'B: I am so glad. Who said sorry first?',
          'A: At the same time, I swear. Then we ate a whole cake standing up.',
        ],
        ['How did {A} and {friend} make up?', 0],
        ['Who apologized first?', 2],
        ['What did the two friends eat?', 2],
      ),
    ],
  },
  {
    slots: { bird: ['owl', 'crow', 'hawk', 'pigeon'] },
    steps: [
      step(
        [
          'A: I found an {bird} with a broken wing beside the highway this morning.',
          'B: Poor thing! What did you do with it?',
          'A: Wrapped it in my scarf and drove forty miles to a wildlife rescue.',
        ],
        ['What animal did {A} rescue?', 0],
        ['How far did {A} drive to get help for the bird?', 2],
        ['What was wrong with the bird?', 0],
      ),
      step(
        [
          'A: They let me open the box myself. It flew straight into the sun, not one look back.',
          'B: So it healed! I have tears in my eyes.',
          'A: The vet said five weeks is a record.',
        ],
        ['What happened when the {bird} was released?', 0],
        ['How long did the recovery of the bird take?', 2],
      ),
    ],
  },
  {
    slots: {
      film: ['a silent western', 'a documentary on ferries', 'a Korean thriller', 'an old musical'],
      snack: ['licorice', 'olives', 'pistachios', 'pretzels'],
    },
    steps: [
      step(
        [
          'A: We have a new tradition: on the first Friday everyone comes over and one person picks a film.',
          'B: What did you watch?',
          'A: My pick was {film}. Half of them fell asleep, and the other half cried.',
          'B: And the snacks?',
          'A: Only {snack}, it is the one thing that we all like.',
        ],
        ['What movie did {A} choose?', 2],
        ['What do the friends eat on movie night?', 4],
        ['How often does {A} host movie nights?', 0],
        ["How did the guests respond to {A}'s movie?", 2],
      ),
    ],
  },
]
