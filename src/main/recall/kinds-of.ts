import { stem } from './stem.ts'

/**
 * Everyday categories and their members, as `category: members`. A question often names the category while the text names a
 * member; the reverse is rare, so the table only goes one way.
 */
const KINDS = `
  sport: soccer football basketball tennis volleyball baseball hockey rugby golf cricket badminton swimming surfing skiing climbing boxing karate judo yoga gymnastics rowing fencing
  instrument: guitar piano violin drums cello flute trumpet saxophone clarinet ukulele keyboard harp bass accordion
  music: jazz rock blues classical opera folk pop album playlist concert choir orchestra singing
  pet: dog cat puppy kitten hamster rabbit parrot goldfish turtle lizard snake guinea
  animal: dog cat horse cow sheep goat pig bird fox deer bear rabbit duck chicken turtle snake elephant
  dessert: cake pie cookie brownie pudding tart pastry cheesecake cupcake muffin
  food: pizza pasta soup salad rice bread cheese sushi curry burger sandwich noodles steak taco
  drink: coffee tea beer wine juice cocktail lemonade soda whisky smoothie
  fruit: apple banana orange berry strawberry grape lemon mango peach pear cherry raspberry
  vegetable: tomato carrot potato onion pepper cucumber lettuce cabbage bean spinach pumpkin
  flower: rose tulip daisy sunflower orchid lily lavender
  tree: oak pine maple birch willow palm
  color: red blue green yellow orange purple pink brown black white grey
  season: spring summer autumn fall winter
  relative: aunt uncle cousin niece nephew grandmother grandfather grandma grandpa sister brother
  sibling: brother sister twin
  parent: mother father mom dad
  child: son daughter toddler baby
  pastime: reading gardening knitting pottery painting photography chess cooking hiking gaming fishing dancing sewing woodworking
  hobby: reading gardening knitting pottery painting photography chess cooking hiking gaming fishing dancing sewing woodworking birdwatching
  craft: pottery knitting sewing weaving woodworking crochet origami
  art: painting sculpture drawing pottery portrait canvas mural gallery exhibition
  vehicle: car truck van bus motorcycle scooter bicycle tram
  transport: bus train tram ferry subway metro taxi bicycle
  furniture: table chair sofa couch desk bed shelf wardrobe bookcase dresser
  clothes: shirt dress jacket coat sweater shoes boots jeans skirt hat scarf gloves
  jewelry: ring necklace bracelet earrings pendant
  device: laptop phone tablet computer camera headphones printer
  illness: flu cold fever cancer diabetes asthma allergy infection pneumonia migraine virus
  injury: sprain fracture broken bruise burn wound ankle wrist
  doctor: surgeon dentist therapist pediatrician cardiologist vet specialist
  medicine: pill antibiotic insulin vaccine painkiller prescription
  job: teacher nurse engineer lawyer accountant chef waiter manager designer journalist programmer barista banker
  profession: teacher nurse engineer lawyer accountant chef architect designer journalist programmer scientist
  degree: bachelor master phd diploma doctorate university graduate
  subject: mathematics math physics chemistry biology history geography literature
  language: english spanish french german italian portuguese chinese japanese arabic russian korean
  religion: church mosque temple synagogue christian muslim jewish buddhist hindu
  country: france germany italy spain japan china canada mexico brazil india england ireland portugal greece sweden norway
  city: london paris berlin rome madrid tokyo boston chicago seattle toronto sydney lisbon
  state: california texas florida oregon colorado washington ohio michigan
  weather: rain snow storm sunny wind fog heat thunder hail
  disaster: flood fire earthquake hurricane storm tornado
  festival: christmas easter halloween thanksgiving carnival ramadan diwali hanukkah
  holiday: christmas easter thanksgiving halloween beach hotel resort
  celebration: birthday wedding anniversary graduation party reunion
  building: house school church hospital library museum tower barn garage
  accommodation: hotel hostel apartment airbnb campsite cabin cottage tent
  emotion: happy sad angry scared proud nervous excited grateful lonely jealous
  feel: happy sad angry scared proud nervous excited grateful lonely relieved anxious disappointed
  game: chess poker puzzle videogame console monopoly cards
  book: novel memoir biography thriller chapter author
  movie: thriller comedy documentary director actor scene
  tool: hammer drill saw screwdriver wrench
  crime: theft burglary fraud robbery stolen mugged
  charity: donation fundraiser shelter volunteering donated
  exercise: yoga running swimming weights pilates gym jogging cycling
  outdoors: hiking camping trail mountain lake forest park
  appliance: oven fridge dishwasher dryer toaster microwave
  bill: rent electricity invoice insurance tax
  debt: loan mortgage credit owe
  relationship: boyfriend girlfriend dating single partner fiance married divorced
  breakup: split divorce separated ex
  pregnant: due expecting baby birth
  diet: vegan vegetarian gluten sugar calories
  vegetarian: meat vegan
  allergic: allergy peanuts nuts pollen lactose shellfish
  die: death died passed funeral lost
  death: died passed funeral grave
  born: birth birthday
  old: age turned birthday aged
  age: old turned birthday years
  live: moved apartment house neighborhood address
  name: called named
  meet: met introduced
  occupation: work job works
  study: degree university course semester thesis
  afford: expensive budget saved
  earn: salary paid wage
  cost: paid price euros dollars
  spend: paid bought cost
  favorite: best love loved prefer adore
  prefer: rather better favorite
  dislike: hate hated awful terrible
  recommend: should try must suggest
  decide: decided chose picked settled
  attend: went joined visited
  participate: joined took entered
  celebrate: party cake dinner
  relax: unwind calm stress rest
  destress: relax unwind calm
  worry: afraid nervous scared anxious
  struggle: hard difficult trouble stuck
  overcome: managed beat finally
  achieve: won finished reached managed
  improve: better practice progress
  support: help helped encouraged cheered
  damage: broke broken crashed flooded cracked
  fail: broke failed crashed stopped
  prepare: practice practicing training ready
  learn: taught class lessons practice
  adopt: adopted shelter rescue
  injure: hurt sprained broke broken
  wear: dress shirt jacket shoes
  speak: fluent language
  wake: alarm morning early
  sleep: bed insomnia nap night
  grow: plant planted seeds garden
  play: team game band instrument
  early: morning dawn
  late: evening midnight night`

function tableOfKinds(): Map<string, readonly string[]> {
  const lines = KINDS.trim().split('\n')
  return new Map(
    lines.map((line) => {
      const [kind = '', words = ''] = line.trim().split(': ')
      return [stem(kind), words.split(' ')]
    }),
  )
}

/** Built on the first search, so that starting the thread does not wait for it. */
let byKind: ReadonlyMap<string, readonly string[]> | null = null

/** Returns members of the category that a folded word names (`sport`: tennis, …). A hint, worth less than the word itself. */
export function kindsOf(word: string): readonly string[] {
  byKind ??= tableOfKinds()
  return byKind.get(stem(word)) ?? []
}
