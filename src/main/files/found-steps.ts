import { objectOf } from '../../shared/json-fields.ts'
import type { Json } from '../../shared/json.ts'
import type { FileSeen } from '../../shared/seen-file.ts'
import { commandIn } from '../../shared/tool-shape.ts'
import type { FileStep } from './file-step.ts'
import { joinedPath } from './joined-path.ts'

/** Commands that bring text from elsewhere: what is new in a file need not be theirs. */
const BRINGS =
  /\b(?:patch|cp|mv|ln|install|rsync|scp|tar|unzip|gunzip|curl|wget|svn|hg|jj|gh)\b|\bgit\b(?!\s+(?:add|commit|status|diff|log|show|rev-parse|ls-files|grep|blame)\b)/

/** A patch that the command itself has is not from elsewhere. */
const OWN_PATCH =
  /^\s*(?:patch|git apply)(?: (?:-p\d|-s|-N|-v|--recount|--whitespace=\w+))* <<-?(['"]?)(\w+)\1\n[^]*\n\2\s*$/

/** What `patch` keeps of the file before it. */
const LEFT_BY_PATCH = /\.(?:orig|rej)$/

/** Returns what a call did by its text, between what was found on the disk before and after it. */
export function foundSteps(seen: readonly FileSeen[], input: Json, own: readonly FileStep[]): readonly FileStep[] {
  if (seen.length === 0) return own
  const command = commandIn(objectOf(input)) ?? ''
  const isOwn = !BRINGS.test(command)
  const isOwnPatch = OWN_PATCH.test(command)
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
          isSure: isSure && (isOwn || (isOwnPatch && !LEFT_BY_PATCH.test(path))),
        },
      ]
    })
  const moves = own.some(({ kind }) => kind === 'moved') ? [] : movesIn(seen)
  return [...stepsAt('before'), ...own, ...moves, ...stepsAt('after')]
}

/** A file that is gone, and a new one with the same bytes: it moved. */
function movesIn(seen: readonly FileSeen[]): readonly FileStep[] {
  const whyAt = (path: string, at: FileSeen['at']) =>
    seen.find((each) => each.path === path && each.at === at)?.why_not ?? null
  const gone = seen.filter(({ path, at, hash }) => at === 'before' && hash !== null && whyAt(path, 'after') === 'gone')
  return seen.flatMap(({ path: to, at, hash }): FileStep[] => {
    const [from, ...others] = gone.filter((each) => each.hash === hash)
    if (at !== 'after' || whyAt(to, 'before') !== 'gone' || from === undefined || others.length > 0) return []
    return [{ kind: 'moved', path: from.path, to, isCopy: false, isSure: true }]
  })
}
