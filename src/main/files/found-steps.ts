import { objectOf } from '../../shared/json-fields.ts'
import type { Json } from '../../shared/json.ts'
import type { FileSeen } from '../../shared/seen-file.ts'
import { commandIn } from '../../shared/tool-shape.ts'
import { isTelling } from './aligned-lines.ts'
import type { FileStep } from './file-step.ts'
import { joinedPath } from './joined-path.ts'

/** Commands that bring text from elsewhere: what is new in a file need not be theirs. */
const BRINGS =
  /\b(?:patch|cp|mv|ln|install|rsync|scp|tar|unzip|gunzip|curl|wget|svn|hg|jj|gh)\b|\bgit\b(?!\s+(?:add|commit|status|diff|log|show|rev-parse|ls-files|grep|blame)\b)/

/** What the command itself wrote, it only puts into its place. */
const PUT_IN_PLACE = /> *(["']?)([\w./-]+)\1[ \t]*(?:&&|;|\n)\s*mv (?:-f )?\1\2\1(?=\s)/g

/** Those that take a patch which the command itself has. */
const PATCHES = /\b(?:patch|git apply)\b(?!.* (?:-R|--reverse))/g

/** What `patch` keeps of the file before it. */
const LEFT_BY_PATCH = /\.(?:orig|rej)$/

/** Returns what a call did by its text, between what was found on the disk before and after it. */
export function foundSteps(seen: readonly FileSeen[], input: Json, own: readonly FileStep[]): readonly FileStep[] {
  if (seen.length === 0) return own
  const command = commandIn(objectOf(input)) ?? ''
  const isOwn = !BRINGS.test(command.replaceAll(PUT_IN_PLACE, ''))
  const isOwnPatch = /^@@/m.test(command) && /^\+/m.test(command) && !BRINGS.test(command.replaceAll(PATCHES, ''))
  const ownLines = saidIn(command)
  const isCopied = (path: string) => own.some((step) => step.kind === 'moved' && step.isCopy && step.to === path)
  const stepsAt = (at: FileSeen['at']) =>
    seen.flatMap(({ why_not: why, is_sure: isSure, path: said, ...file }): FileStep[] => {
      const path = joinedPath(null, said)
      if (file.at !== at || path === null) return []
      if (why === 'no_other') return [{ kind: 'unchanged', path }]
      return [
        {
          kind: 'found',
          path,
          at,
          hash: file.hash,
          text: file.text,
          why,
          isSure: isSure && !isCopied(path) && (isOwn || (isOwnPatch && !LEFT_BY_PATCH.test(path))),
          ...(isSure && !LEFT_BY_PATCH.test(path) ? { said: ownLines } : {}),
        },
      ]
    })
  return [
    ...movesIn(seen, 'before', []),
    ...stepsAt('before'),
    ...own,
    ...movesIn(seen, 'after', own),
    ...stepsAt('after'),
  ]
}

/** Returns the lines of a command that are its own in a file which it wrote, though it may bring others. */
const saidIn = (command: string): ReadonlySet<string> =>
  new Set(
    command
      .split('\n')
      .map((line) => line.replace(/^\+/, ''))
      .filter((line) => isTelling(line)),
  )

/** A copy says so much that nobody writes the same again. */
const TELLING_COPY = 24

/** A file with the bytes of another one that is gone moved, and one with those of another one is a copy, as far as `own` does not say what it is. */
function movesIn(seen: readonly FileSeen[], at: FileSeen['at'], own: readonly FileStep[]): readonly FileStep[] {
  const gone = new Set(seen.filter((each) => each.at === at && each.why_not === 'gone').map(({ path }) => path))
  const isSaid = (to: string) =>
    own.some((step) => step.kind === 'moved' || (step.path === to && step.kind !== 'doubted'))
  return seen.flatMap(({ path: to, at: when, like: path, text }): FileStep[] => {
    if (when !== at || path === undefined || isSaid(to)) return []
    const isCopy = !gone.has(path)
    if (isCopy && !isTelling(text ?? '', TELLING_COPY)) return []
    return [{ kind: 'moved', path, to, isCopy, isSure: true, ...(at === 'before' ? { isEarlier: true } : {}) }]
  })
}
