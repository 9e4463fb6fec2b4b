import { DOUBT, onPath, type FileStep } from './file-step.ts'

/** Returns what `sed` did to the files that it names, if it edits in place. */
export function sedSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const flags = words.filter((word) => word?.startsWith('-') === true).join(' ')
  if (!/(?:^| )-\w*i|--in-place/.test(flags)) return []
  const [script, ...files] = words.filter((word) => word === null || !word.startsWith('-'))
  const isPlain = /^-(?:i|[Ern]+i|i [Ern]+|[Ern]+ -i)$/.test(flags) && files.length > 0
  // A script may name files to write.
  if (!isPlain || (typeof script === 'string' && /w/.test(script.replaceAll(/[a-z]{2,}/gi, '')))) return [DOUBT]
  const change = flags === '-i' && typeof script === 'string' ? substitution(script) : null
  return files.map((word) =>
    onPath(folder, word, (path) =>
      change === null ? { kind: 'doubted', path } : { kind: 'substituted', path, ...change },
    ),
  )
}

/** One text for another: without what has a meaning in an expression, and without what Aspy removed. */
const SCRIPT = /^s([/|#,])((?:(?!\1)[^\\\n.*[\]^$]|\\[/.*[\]^$])+)\1((?:(?!\1)[^\\\n&]|\\\/)*)\1(g?);?$/

/** Returns the change of every line that a script says word for word; null for any other script. */
function substitution(script: string) {
  const [, , before, after, all] = SCRIPT.exec(script) ?? []
  if (before === undefined || after === undefined || /redacted:|<private>/.test(script)) return null
  const plain = (text: string) => text.replaceAll(/\\(.)/g, '$1')
  return { before: plain(before), after: plain(after), isAll: all === 'g' }
}
