import { DOUBT, doubtOf, onPath, type FileStep } from './file-step.ts'

/** Returns what `sed` did to the files that it names, if it edits in place. */
export function sedSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const flags = words.filter((word) => word?.startsWith('-') === true).join(' ')
  const scripts = scriptsOf(words)
  const isMore = scripts.some((said) => said === null || (!PLAIN.test(said) && MAY_WRITE.test(said)))
  if (!/(?:^| )-\w*i|--in-place/.test(flags)) return isMore || /(?:^| )-\w*f|--file/.test(flags) ? [DOUBT] : []
  const [, backup = ''] = IN_PLACE.exec(flags) ?? []
  if (isMore || !IN_PLACE.test(flags)) return [DOUBT]
  const [script] = scripts
  // On a Mac, an empty word says that nothing is kept.
  const isPlain = /^(?:-i|--in-place)(?: -e)?$/.test(flags) && scripts.length === 1 && !words.includes('')
  const change = isPlain && typeof script === 'string' ? substitution(script) : null
  return filesOf(words, scripts).flatMap((word) => [
    onPath(folder, word, (path): FileStep =>
      change === null ? { kind: 'doubted', path } : { kind: 'substituted', path, ...change },
    ),
    ...(backup === '' ? [] : [onPath(folder, word, (path) => ({ kind: 'doubted', path: `${path}${backup}` }))]),
  ])
}

/** Returns what `perl` did, if it only replaces texts in the files that it names. */
export function perlSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const flags = words.filter((word) => word?.startsWith('-') === true).join(' ')
  const scripts = scriptsOf(words)
  const isPlain = /^-(?:p?i|0?pi|i -p|p -i|i -0?p)(?: -)?e$/.test(flags)
  if (!isPlain || scripts.some((said) => said === null || !REPLACES.test(said))) return [DOUBT]
  return filesOf(words, scripts).map((word) => doubtOf(folder, word))
}

/** Flags of an edit in place; with an ending, what was there is kept under that. */
const IN_PLACE = /^(?:-(?:[Erns]+|e) )*(?:-[Ern]*i(\.\w+)?|--in-place)(?: -(?:[Erns]+|e))*$/
/** One text for another, and nothing that is run. */
const REPLACES = /^(?:s([/|#,!])(?:(?!\1)[^\\$@]|\\.|\$(?=\1|[)|]))*\1(?:(?!\1)[^\\@]|\\.)*\1[gimsx]*;?\s*)+$/

const filesOf = (words: readonly (string | null)[], scripts: readonly (string | null)[]): readonly (string | null)[] =>
  words.filter((word) => word === null || (word !== '' && !word.startsWith('-'))).toSpliced(0, scripts.length)

/** One text for another: without what has a meaning in an expression, and without what Aspy removed. */
const SCRIPT = /^s([/|#,])((?:(?!\1)[^\\\n.*[\]^$]|\\[/.*[\]^$])+)\1((?:(?!\1)[^\\\n&]|\\\/)*)\1(g?);?$/

/** Returns the change of every line that a script says word for word; null for any other script. */
function substitution(script: string) {
  const [, , before, after, all] = SCRIPT.exec(script) ?? []
  if (before === undefined || after === undefined || /redacted:|<private>/.test(script)) return null
  const plain = (text: string) => text.replaceAll(/\\(.)/g, '$1')
  return { before: plain(before), after: plain(after), isAll: all === 'g' }
}

/** Commands that only show, delete or replace lines. */
const PLAIN =
  /^(?:(?:(?:\d+|\$|\/(?:[^/\\]|\\.)*\/)(?:,(?:\+?\d+|\$|\/(?:[^/\\]|\\.)*\/))?!?\s*)?(?:[pdqD=]|s([/|#,@!])(?:(?!\1)[^\\]|\\.)*\1(?:(?!\1)[^\\]|\\.)*\1[gpIi\d]*)\s*(?:;\s*|$))+$/
/** A script may name files to write, or run a command. */
const MAY_WRITE = /(?:^|[^a-z\\])[gpi\d]*[we](?:[\s./~\w]|$)/i

/** Returns the scripts that are given to `sed`. */
function scriptsOf(words: readonly (string | null)[]): readonly (string | null)[] {
  const named = words.flatMap((word, at) => (/^-\w*e$|^--expression$/.test(words[at - 1] ?? '') ? [word] : []))
  return named.length > 0
    ? named
    : words.filter((word) => word === null || (word !== '' && !word.startsWith('-'))).slice(0, 1)
}
