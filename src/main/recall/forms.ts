import { stem } from './stem.ts'

/**
 * Word forms that a stemmer cannot relate: irregular verbs and plurals, numbers as words and digits, abbreviated months and
 * days, family names and spelling variants. Each comma-separated group is one word.
 */
const VERBS = `
  arise arose arisen, awake awoke awoken, bear bore borne born, beat beaten, become became, begin began begun, bend bent, bind bound,
  bite bit bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt,
  buy bought, catch caught, choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug,
  draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt,
  fight fought, find found, flee fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven,
  freeze froze frozen, give gave given, go went gone goes, grind ground, grow grew grown, hang hung, hear heard, hide hid hidden,
  hold held, keep kept, kneel knelt, know knew known, lay laid, lead led, lean leant, leap leapt, learn learnt, leave left, lend lent,
  lose lost, make made, mean meant, meet met, mistake mistook mistaken, pay paid, prove proven, ride rode ridden, ring rang rung,
  rise rose risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken, shine shone,
  shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, smell smelt, sow sown,
  speak spoke spoken, speed sped, spell spelt, spend spent, spill spilt, spin spun, spit spat, spoil spoilt, spring sprang sprung,
  stand stood, steal stole stolen, stick stuck, sting stung, stink stank stunk, strike struck, strive strove striven, swear swore sworn,
  sweep swept, swell swollen, swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told, think thought,
  throw threw thrown, tread trod trodden, understand understood, undertake undertook undertaken, wake woke woken, wear wore worn,
  weave wove woven, weep wept, win won, wind wound, withdraw withdrew withdrawn, write wrote written, rewrite rewrote rewritten,
  rebuild rebuilt, overwrite overwrote overwritten, override overrode overridden, undo undid undone, redo redid redone`
const NOUNS = `
  child children, man men, woman women, person people, foot feet, tooth teeth, mouse mice, goose geese, life lives, wife wives,
  knife knives, leaf leaves, half halves, shelf shelves, wolf wolves, loaf loaves, thief thieves, index indices, matrix matrices,
  vertex vertices, criterion criteria, phenomenon phenomena, datum data, analysis analyses, crisis crises, schema schemata,
  mother mom mum mommy mama, father dad daddy papa, grandmother grandma granny, grandfather grandpa granddad, brother bro, sister sis,
  kid kiddo, color colour, favorite favourite, neighbor neighbour, theater theatre, center centre, gray grey, program programme,
  behavior behaviour, catalog catalogue, license licence, tire tyre, traveling travelling, canceled cancelled`
const NUMBERS = `
  one 1 first 1st once, two 2 second 2nd twice, three 3 third 3rd, four 4 fourth 4th, five 5 fifth 5th, six 6 sixth 6th, seven 7 seventh 7th,
  eight 8 eighth 8th, nine 9 ninth 9th, ten 10 tenth 10th, eleven 11 eleventh 11th, twelve 12 twelfth 12th, thirteen 13, fourteen 14,
  fifteen 15, sixteen 16, seventeen 17, eighteen 18, nineteen 19, twenty 20, thirty 30, forty 40, fifty 50, sixty 60, seventy 70, eighty 80,
  ninety 90, hundred 100, thousand 1000`
const CALENDAR = `
  january jan, february feb, march mar, april apr, june jun, july jul, august aug, september sep sept, october oct, november nov,
  december dec, monday mon, tuesday tue tues, wednesday wed, thursday thu thurs, friday fri, saturday sat, sunday sun`

function formsByStem(): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, string[]>()
  for (const group of [VERBS, NOUNS, NUMBERS, CALENDAR].flatMap((list) => list.split(','))) {
    const words = group
      .trim()
      .split(/\s+/)
      .map((word) => ({ word, stemmed: stem(word) }))
    for (const { stemmed } of words) {
      const others = words.filter((other) => other.stemmed !== stemmed).map(({ word }) => word)
      table.set(stemmed, [...new Set([...(table.get(stemmed) ?? []), ...others])])
    }
  }
  return table
}

/** Built on the first search, so that starting the thread does not wait for it. */
let byStem: ReadonlyMap<string, readonly string[]> | null = null

/** Returns other forms of a folded word, or an empty list. */
export function formsOf(word: string): readonly string[] {
  byStem ??= formsByStem()
  return byStem.get(stem(word)) ?? []
}
