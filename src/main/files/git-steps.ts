import { DOUBT, doubtOf, onPath, type FileStep } from './file-step.ts'
import { movedSteps } from './moved-steps.ts'
import { flagsIn } from './shell-words.ts'

const GIT_READS = new Set(
  'blame cat-file config describe diff fetch for-each-ref grep log ls-files ls-remote ls-tree merge-base name-rev remote rev-list rev-parse shortlog show show-ref status add commit tag push'.split(
    ' ',
  ),
)

/** git itself reads patterns and places in the names that it is given. */
const TAKES_PATTERNS = new Set(['rm', 'checkout', 'restore'])
const MAGIC = /[*?[\]]|^:/
/** Only what is to be committed is changed, not the files. */
const isStaged = (verb: string, flags: string): boolean =>
  verb === 'restore' && /--staged|(?:^| )-S/.test(flags) && !/--worktree|(?:^| )-W/.test(flags)

/** What git takes from its own store is not in the record. */
export function gitSteps(words: readonly (string | null)[], folder: string | null): readonly FileStep[] {
  const [verb, ...rest] = words
  if (verb === undefined || verb === null || verb.startsWith('-')) return [DOUBT]
  const { isFlag, flags } = flagsIn(rest)
  const paths = rest.filter((_, at) => !isFlag(at))
  if (verb === 'mv') return movedSteps(paths, flags, folder, false)
  const isIndex = (verb === 'rm' && /--cached|--dry-run|(?:^| )-\w*n/.test(flags)) || isStaged(verb, flags)
  if (isIndex) return []
  if (
    flags.includes('--output') ||
    (TAKES_PATTERNS.has(verb) && rest.some((word) => word === null || MAGIC.test(word)))
  )
    return [DOUBT]
  if (verb === 'rm') return paths.map((path) => onPath(folder, path, (known) => ({ kind: 'deleted', path: known })))
  if ((verb === 'checkout' && rest.includes('--')) || verb === 'restore') {
    const named = verb === 'checkout' ? rest.slice(rest.indexOf('--') + 1) : paths
    if (named.length > 0 && !/source/.test(flags))
      return named.map((path) => (path === '.' ? DOUBT : doubtOf(folder, path)))
  }
  if (verb === 'branch' || (verb === 'stash' && (rest[0] === 'list' || rest[0] === 'show'))) return []
  // Hooks of a commit may format files.
  return GIT_READS.has(verb) && verb !== 'commit' ? [] : [DOUBT]
}
