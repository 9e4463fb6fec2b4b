import words from '../../../resources/words/key-formats.json' with { type: 'json' }
import { hashRule, vaultRule } from './formats/hashes.ts'
import { MARKED_FORMATS } from './formats/marked.ts'
import {
  base64,
  charClass,
  digits,
  dotted,
  hex,
  slug,
  upper,
  word,
  wordUnderscore,
  type CharClass,
} from './char-class.ts'
import { changesClassOften } from './named/strength.ts'
import { afterName, followRuns, LONGEST_RUN, type Rule, type Run, runFormat } from './rule.ts'

const CLASSES: { readonly [name: string]: CharClass } = {
  base64,
  digits,
  dotted,
  hex,
  slug,
  upper,
  word,
  wordUnderscore,
}

/** Reads a format: `name | prefixes | class min max | …`, in which a class is one of ours or written in brackets. */
function readFormat(line: string): Rule {
  const [name = '', prefixes = '', ...runs] = line.split(' | ')
  return runFormat(name, prefixes, runs.map(readRun))
}

function readRun(run: string): Run {
  const [chars = '', min, max = LONGEST_RUN] = run.split(' ')
  return [CLASSES[chars] ?? charClass(chars.slice(1, -1)), Number(min), Number(max)]
}

const jwt = readFormat(`jwt | eyJ | slug 8 | [.] 1 1 | slug 8 ${4 * LONGEST_RUN} | [.] 1 1 | [A-Za-z0-9_.-] 8`)

/** True for a token that every visitor of a page gets, as its claims say. */
const isAnonymous = (token: string) =>
  /"role":\s?"anon"/.test(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/**
 * Formats with a distinctive prefix, as documented by their issuers. Lengths are lower bounds, since issuers lengthen their
 * tokens.
 */
export const KEY_FORMATS: readonly Rule[] = [
  ...words.formats.map(readFormat),
  ...words.after_prefix.map((line) => afterName(readFormat(line))),
  ...MARKED_FORMATS,
  hashRule,
  vaultRule,
  {
    ...jwt,
    match(place) {
      const found = jwt.match(place)
      return typeof found === 'object' && isAnonymous(place.text.slice(found.start, found.end)) ? found.end : found
    },
  },
  {
    // The private numbers of a key as JSON (JWK).
    name: 'private-key',
    anchors: ['d', 'k', 'p', 'q', 'dp', 'dq', 'qi'].flatMap((part) => [`"${part}":`, `"${part}\\":`]),
    isKeyFormat: true,
    match(place) {
      const ends = followRuns(place, place.after, [
        [charClass(' \t\\"'), 1, 8],
        [slug, 40, LONGEST_RUN],
      ])
      if (typeof ends !== 'object') return ends
      const [start = 0, end = 0] = ends
      const body = place.text.slice(start, end)
      const isNumber = /[a-z]/.test(body) && /[A-Z]/.test(body) && /\d/.test(body) && changesClassOften(body)
      return isNumber && /^\\*"/.test(place.text.slice(end, end + 8)) ? { start, end } : end
    },
  },
  {
    // The number before the colon identifies the bot and is public.
    name: 'telegram-token',
    anchors: [':AA', '%3AAA'],
    isKeyFormat: true,
    match(place) {
      if (!/\d{8}$/.test(place.text.slice(Math.max(0, place.at - 8), place.at))) return 0
      const end = place.after
      let at = end
      while (at < place.text.length && at - end < 64 && slug.has(place.text.charCodeAt(at))) at += 1
      if (!place.final && at === place.text.length && at - end < 64) return 'more'
      return at - end < 30 ? at : { start: place.after - 2, end: at }
    },
  },
]
