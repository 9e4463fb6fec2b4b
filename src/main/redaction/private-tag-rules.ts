import type { Place, Rule, Verdict } from './rule.ts'

const ANCHORS = ['<private', '<PRIVATE', '<Private']
/** The rest of the tag, with attributes: `<private reason="health">`. */
const TAG = /^(?:\s[^<>]{0,200})?>/
/** A tag that is spoken of, and one of C# projects. */
const MENTION = /^[`"')\]]|^\s{0,2}(?:tags?|elements?|blocks?|markers?)\b/i
const CSPROJ = /^\s*(?:true|false)\s*<\/private>/i
/** A tag of either kind; more of them are not followed. */
const ANY_TAG = /<(\/?)private(?:\s[^<>]{0,200})?>/gi
const MOST_TAGS = 100
/** A JSON string that the tag is in. */
const IN_STRING = /[:[,]\s{0,8}(\\*)"[^"\n]*$/

/** Finds the tag at an anchor: where its text begins and where its end is, -1 for none. */
function readTag({ text, after, final }: Place): { begin: number; close: number; end: number } | 'more' | null {
  const ahead = text.slice(after, after + 204)
  const tag = TAG.exec(ahead)
  if (tag === null) return !final && ahead.length < 204 && /^(?:\s[^<>]*)?$/.test(ahead) ? 'more' : null
  const begin = after + tag[0].length
  if (CSPROJ.test(text.slice(begin, begin + 40))) return null
  const { close, end, isSure } = readClose(text, begin)
  if (!isSure && !final) return 'more'
  return { begin, close, end }
}

/** Finds where a tag is closed, tags within it apart; if one of them is not, it was spoken of, and the first end counts. */
function readClose(text: string, begin: number): { close: number; end: number; isSure: boolean } {
  let first: { close: number; end: number } | null = null
  let depth = 1
  ANY_TAG.lastIndex = begin
  for (let tags = 0; tags < MOST_TAGS; tags += 1) {
    const hit = ANY_TAG.exec(text)
    if (hit === null) break
    const found = { close: hit.index, end: ANY_TAG.lastIndex }
    depth += hit[1] === '/' ? -1 : 1
    if (hit[1] === '/') first ??= found
    if (depth === 0) return { ...found, isSure: true }
  }
  return { ...(first ?? { close: -1, end: -1 }), isSure: false }
}

/** Removes text marked as `<private>`, including the tags. */
const privateTagRule: Rule = {
  name: 'private',
  anchors: ANCHORS,
  isKeyFormat: false,
  match(place): Verdict {
    const tag = readTag(place)
    if (tag === 'more') return 'more'
    return tag === null || tag.close < 0 ? place.after : { start: place.at, end: tag.end }
  },
}

/** Removes what follows a tag that is never closed, to the end of its text or of the JSON string that it is in. */
const unclosedTagRule: Rule = {
  name: 'private-unclosed',
  anchors: ANCHORS,
  isKeyFormat: false,
  match(place): Verdict {
    const { text, at, after } = place
    const tag = readTag(place)
    if (tag === 'more') return 'more'
    const before = place.behind(at, 400)
    if (tag === null || tag.close >= 0 || /[\w`]$/.test(before)) return after
    if (MENTION.test(text.slice(tag.begin, tag.begin + 16)) || text.slice(tag.begin).trim() === '') return after
    const slashes = IN_STRING.exec(before)?.[1]
    const quote = slashes === undefined ? -1 : closing(text, tag.begin, slashes)
    return { start: at, end: quote < 0 ? text.length : quote }
  },
}

/** Returns where a string ends whose quotes have these backslashes before them. */
function closing(text: string, from: number, slashes: string): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    const run = /\\*$/.exec(text.slice(Math.max(from, at - 32), at))?.[0].length ?? 0
    if (run === slashes.length) return at - run
  }
  return -1
}

export const PRIVATE_TAG_RULES: readonly Rule[] = [privateTagRule, unclosedTagRule]
