import type { JudgedQuery, RecallDocument } from '../recall-set/judge.ts'
import { seededRandom } from '../seeded-random.ts'
import type { Arc } from './arc.ts'
import { HOME_ARCS } from './arcs-home.ts'
import { LEISURE_ARCS } from './arcs-leisure.ts'
import { WORK_ARCS } from './arcs-work.ts'
import { SMALL_TALK, SMALL_WORDS } from './small-talk.ts'

/** Long conversations over many sessions, with questions that are worded differently from their answers. */
export interface Talks {
  readonly documents: readonly RecallDocument[]
  /** For tuning. */
  readonly dev: readonly JudgedQuery[]
  /** On other topics than `dev`, for final figures only. */
  readonly test: readonly JudgedQuery[]
}

const PAIRS = [
  ['Caroline', 'Melanie'],
  ['Andrew', 'Joan'],
  ['Nadia', 'Felix'],
  ['Gina', 'Jonas'],
  ['Ruben', 'Tamsin'],
  ['Akiko', 'Dylan'],
  ['Fatima', 'Harold'],
  ['Zoe', 'Matteo'],
  ['Bruno', 'Celeste'],
  ['Esther', 'Kwame'],
  ['Lena', 'Oscar'],
  ['Priscilla', 'Ivan'],
] as const
const ARCS: readonly Arc[] = [...HOME_ARCS, ...WORK_ARCS, ...LEISURE_ARCS]
const ARCS_A_PAIR = 8
const SESSIONS = 18

interface Told {
  readonly arc: Arc
  readonly number: number
  readonly own: { readonly [slot: string]: string }
  /** Document ids by step and line. */
  readonly ids: string[][]
}

/** Generates conversations from a seed. Document ids carry no information. */
export function makeTalks(seed = 20_261_122): Talks {
  const random = seededRandom(seed)
  const documents: RecallDocument[] = []
  const queries: { dev: JudgedQuery[]; test: JudgedQuery[] } = { dev: [], test: [] }
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const fill = (text: string, own: { readonly [slot: string]: string }) =>
    text.replaceAll(/\{(\w+)\}/g, (_, slot: string) => own[slot] ?? pick(SMALL_WORDS[slot] ?? []))
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [random(), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item)

  let used = 0
  for (const [pairNumber, pair] of PAIRS.entries()) {
    let clock = Date.parse('2023-01-09T09:00:00Z') + pairNumber * 3_600_000
    const order = shuffled(ARCS.keys().toArray())
    const told = order.slice(0, ARCS_A_PAIR).map((number, at): Told => {
      const arc = ARCS[number] as Arc
      const slots = Object.entries(arc.slots).map(([slot, words]) => [slot, words[(pairNumber + used) % words.length]])
      used += 1
      const [A, B] = at % 2 === 0 ? pair : [pair[1], pair[0]]
      return { arc, number, own: { ...Object.fromEntries(slots), A, B }, ids: [] }
    })
    const plan = Array.from({ length: SESSIONS }, (): Told[] => [])
    for (const story of told) {
      let at = Math.floor(random() * 6)
      for (const _ of story.arc.steps) {
        plan[at]?.push(story)
        at += 1 + Math.floor(random() * 5)
      }
    }
    for (const [number, stories] of plan.entries()) {
      const session = `talk-${pairNumber + 1}-${number + 1}`
      let turn = Math.floor(random() * 2)
      const say = (who: string, text: string): string => {
        clock += 30_000 + Math.floor(random() * 90_000)
        const id = `t${documents.length + 1}`
        documents.push({ id, session, time: new Date(clock).toISOString(), kind: 'message', text: `${who}: ${text}` })
        turn = who === pair[0] ? 1 : 0
        return id
      }
      const chat = (lines: number) => {
        for (let line = 0; line < lines; line += 1)
          say(pair[turn] ?? pair[0], fill(pick(SMALL_TALK), { Y: pair[1 - turn] ?? pair[1] }))
      }
      chat(3 + Math.floor(random() * 5))
      for (const story of stories) {
        const next = story.arc.steps[story.ids.length]
        if (next === undefined) continue
        story.ids.push(next.lines.map((line) => say(story.own[line.charAt(0)] ?? '', fill(line.slice(3), story.own))))
        chat(3 + Math.floor(random() * 8))
      }
      clock += 86_400_000 * (2 + Math.floor(random() * 12))
    }
    for (const { arc, number, own, ids } of told) {
      const set = number % 2 === 0 ? queries.dev : queries.test
      for (const [at, { asked }] of arc.steps.entries()) {
        for (const [question, line] of asked) {
          const id = ids[at]?.[line]
          if (id === undefined) continue
          set.push({
            query: fill(question, own),
            expected: [id],
            kind: /^When|^How long/.test(question) ? 'time' : 'fact',
          })
        }
      }
      for (const [at, { lines }] of arc.steps.entries()) {
        for (const [place, line] of lines.entries()) {
          const id = ids[at]?.[place]
          const telling = tellingWords(fill(line.slice(3), own))
          if (id === undefined || telling.length < 3) continue
          const [one, two] = shuffled(telling)
          const who = own[line.charAt(0)] ?? ''
          // One word of the line, one from its surroundings, and two that do not occur there.
          const around = lines.flatMap((other, at) => (at === place ? [] : tellingWords(fill(other.slice(3), own))))
          const strange = [1, 2].map(() => pick(shuffled(tellingWords(fill(pick(SMALL_TALK), own)))) ?? '')
          const loose = [two, pick(around) ?? '', ...strange].join(' ')
          set.push({ query: `Did ${who} ever mention ${loose}?`, expected: [id], kind: 'loose' })
          const before = shuffled(tellingWords(fill(lines[place - 1]?.slice(3) ?? '', own)))
          const half = telling.length < 6 || before.length < 2
          if (half) set.push({ query: `What did ${who} say about ${one} and ${two}?`, expected: [id], kind: 'words' })
          else
            set.push({
              query: `What did ${who} say of ${before[0]} and ${before[1]}, and the ${one}?`,
              expected: [id],
              kind: 'context',
            })
        }
      }
      for (const [question, ...lines] of arc.across ?? []) {
        const expected = lines.flatMap(([at, line]) => ids[at]?.[line] ?? [])
        if (expected.length > 0) set.push({ query: fill(question, own), expected, kind: 'several' })
      }
    }
  }
  return { documents, ...queries }
}

const PLAIN = new Set(
  'about after again almost always another anyway because before behind being could every everything first found from going have hear into just know last made make more most much nothing only other over really should some started still take that their them then there these they thing this those today until very want week were what when where which while will with would year years your yourself'.split(
    ' ',
  ),
)

/** Returns words that a person might remember from a line. */
function tellingWords(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]{4,}/g) ?? []
  return [...new Set(words)].filter((word) => !PLAIN.has(word))
}
