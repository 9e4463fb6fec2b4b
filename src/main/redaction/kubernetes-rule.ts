import type { Place, Rule, Verdict } from './rule.ts'

/** Text read for one manifest, and searched before it for its kind. */
const LONGEST = 8000
/** What a tool writes before a line: its number, also after its file. */
const SHOWN = String.raw`(?:[ \t]*\d+→|(?:([\w./-]{1,100})[:-])?\d{1,6}[:-])?`
const DOCUMENT = new RegExp(String.raw`(?:^|\n|\\n)${SHOWN.replace('([', '(?:[')}---`)
/** The file and the indentation of a line, and the kind that it names. */
const LINE = new RegExp(String.raw`^${SHOWN}(?:.*["'=\x60])?([+-]?[ \t]*(?:- )?)(?:kind: ?(\w+)|(?:stringD|d)ata:)`)
const KIND = /(?:^|[\n→"=]|\n[+-]|\d[:-]|\\n)[ \t]*kind: ?Secret\b/
/**
 * The lines below `data:`, all of them indented; with line numbers, if a tool wrote them. A quote that no value opened ends
 * the string that the manifest is in.
 */
const BLOCK =
  /^[ \t]*(?:\r?\n|\\+n)((?:(?:[ \t]*\d+→|[+-]|[\w./-]{1,100}[:-]\d{1,6}[:-])?[ \t]{1,40}[^\s:#\\"'`<][^:\n\\"'`<]{0,120}:(?!\/)[ \t]*(?:\\*"[^"\n\\]*\\*"(?![\w{])|'(?:[^'\n\\]|'')*'(?!\w)|(?:[^\n\\"'`<]|(?<=\w)'(?=\w)|<(?!\/))*)[ \t]*(?:#[^\n\\"]*)?(?:\r?\n|\\+n|(?=[\\"'`<])|$)){1,100})/
/** The beginning of such a block, whose first value may still come. */
const BEGUN = /^[ \t]*(?:(?:\r?\n|\\+n?)(?:[ \t]*\d*→?[ \t]*[^:\n\\]{0,120}|[ \t\d→]*))?$/

/**
 * Matches the values of a Kubernetes Secret as one span, its names included: they are in `data` (base64) or
 * `stringData`, under names that may not reveal what they are. A ConfigMap's stay.
 */
export const kubernetesSecretRule: Rule = {
  name: 'kubernetes-secret',
  anchors: ['stringData:', 'data:'],
  isKeyFormat: false,
  match(place: Place): Verdict {
    const { text, final, at, after } = place
    const all = text.slice(after, after + LONGEST)
    const before = place.behind(at, 1000).split(DOCUMENT).at(-1) ?? ''
    if (!/(?:^|[\s→]|(?:^|\n)[+-]|\d[:-]|\\n[+-]?)$/.test(before)) return after
    const isString = text.startsWith('stringData:', at)
    // In a list of manifests, what follows is indented, too.
    const indent = /(?:^|\n|\\n)( {1,40})$/.exec(before)?.[1]?.length
    const end = indent === undefined ? -1 : all.search(new RegExp(String.raw`(?:\n|\\n) {0,${indent}}[^\s\\]`))
    const ahead = end < 0 ? all : all.slice(0, end)
    const block = BLOCK.exec(ahead)
    if (
      !final &&
      end < 0 &&
      ahead.length < LONGEST &&
      (block === null ? BEGUN.test(ahead) : block[0].length === ahead.length)
    )
      return 'more'
    if (block === null) return after
    const below = (all.slice(block[0].length).split(DOCUMENT, 1)[0] ?? '').slice(0, 1500)
    const isSecret = isString || isInSecret(before, below)
    if (!isSecret) return !final && all.length < 1500 && !/\n---/.test(below) ? 'more' : after
    const lines = block[1] ?? ''
    const [first, ...also] = values(lines, after + block[0].length - lines.length)
    return first === undefined ? after + block[0].length : { ...first, also }
  },
}

/** True if the last kind above, indented no more, is a Secret, or one below; in the same file. */
function isInSecret(before: string, below: string): boolean {
  const above = before.split(/\n|\\n/)
  const [, file, indent = before] = LINE.exec(`${above.pop()}data:`) ?? []
  // The item of a list that it is in.
  const item = above.findLastIndex((line) => /^ *- /.test(line) && line.search(/\S/) < indent.length)
  above.splice(0, Math.max(0, item))
  const inFile = (lines: string[]) => lines.filter((line) => LINE.exec(line)?.[1] === file)
  const kinds = inFile(above).flatMap((line) => {
    const [, , spaces = '', kind] = LINE.exec(line) ?? []
    return kind === undefined || spaces.length > indent.length ? [] : [kind]
  })
  return (
    (kinds.length > 0 ? kinds.at(-1) === 'Secret' : KIND.test(`\n${inFile(above).join('\n')}`)) ||
    KIND.test(`\n${inFile(below.split(/\n|\\n/)).join('\n')}`)
  )
}

const VALUE =
  /(^|\\n|\n)(?:[ \t]*\d+→|[+-]|[\w./-]{1,100}[:-]\d{1,6}[:-])?[ \t]{1,40}[^:\n]{1,120}:[ \t]*(\\*"|'|)((?:(?<=')(?:[^'\n]|'')*?(?=')|[^\n\\"]*?))(?=\2[ \t]*(?:#[^\n\\]*)?(?:\r?\n|\\+n|\\*["`<]|'(?!\w)|$))/g

/** The values of the lines, in positions of the text: templates and what Aspy removed before stay. */
const values = (lines: string, from: number): { start: number; end: number }[] =>
  [...lines.matchAll(VALUE)].flatMap(({ 0: all, 3: value = '', index }) => {
    const start = from + index + all.length - value.length
    return value.length < 2 || /^[|>&{$]|^<\w|\[redacted:/.test(value) ? [] : [{ start, end: start + value.length }]
  })
