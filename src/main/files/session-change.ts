import { NOTHING_KNOWN, stateAfter, type FileState } from './file-state.ts'
import type { FileStep } from './file-step.ts'
import { fileHistory, type CallEvent } from './file-history.ts'
import { FileTree } from './file-tree.ts'

/** What a session made of a file up to a moment. */
export interface SessionChange {
  /** Before the first call of the session that changed it. */
  readonly before: FileState
  readonly after: FileState
}

const isChange = (step: FileStep): boolean =>
  !['shown', 'doubted', 'unchanged'].includes(step.kind) && !(step.kind === 'found' && step.at === 'before')

/** Returns the paths that these calls changed, as far as their text says. */
export function changedPaths(steps: Iterable<{ readonly step: FileStep; readonly uuid: string }>): string[] {
  const tree = new FileTree()
  const paths = new Set<string>()
  for (const { step, uuid } of steps) {
    const about = tree.apply(step, uuid) ?? []
    if (isChange(step)) for (const path of about) paths.add(path)
  }
  return [...paths].sort()
}

/**
 * Follows a file through calls; null if none of the session's changed it. It ends with the state that the session left:
 * what others did later is not its own.
 */
export function sessionChange<Call extends CallEvent>(
  calls: readonly Call[],
  path: string,
  isOwn: (call: Call) => boolean,
  isBefore: (call: Call) => boolean,
): SessionChange | null {
  let before: FileState | null = null
  let after = NOTHING_KNOWN
  let last = NOTHING_KNOWN
  let isLeft = false
  for (const { call, step, path: then, state } of fileHistory(calls, path)) {
    if (then !== path || !isBefore(call)) continue
    const isMade = isOwn(call) && isChange(step)
    if (isMade) before ??= makes(step) ? beforeMade(last) : last
    last = state
    if (before === null) continue
    // A file of which all was known, and that is another one now, was changed by somebody else.
    const isOthers = (!isOwn(call) && isChange(step)) || (after.isWhole && after.doubtedSince === null)
    isLeft = !isMade && (isLeft || (isOthers && !isSameText(state, after)))
    if (!isOwn(call)) continue
    if (step.kind === 'doubted') after = stateAfter(after, step, call.uuid)
    else if (!isLeft) after = state
  }
  return before === null ? null : { before, after }
}

const isSameText = (one: FileState, other: FileState): boolean =>
  one.kind === other.kind &&
  one.lines.length === other.lines.length &&
  one.lines.every(({ text }, at) => text === other.lines[at]?.text)

/** True if the step says that there was no such file before. */
const makes = (step: FileStep): boolean =>
  (step.kind === 'written' && step.isExact && step.origin !== 'derived') ||
  (step.kind === 'changed' && step.isNew) ||
  step.kind === 'moved'

const beforeMade = (state: FileState): FileState =>
  state.kind === 'unknown' ? { ...NOTHING_KNOWN, kind: 'absent' } : state

/** Counts lines as an editor does: what follows the end of the last one is none. */
export const lineCount = (lines: readonly { readonly text: string | null }[]): number =>
  lines.length - (lines.at(-1)?.text === '' ? 1 : 0)

/** Returns the text of a file; null if there was none, undefined if the record does not have all of it. */
export function textOf({ kind, isWhole, lines, ending }: FileState, fallback = ending): string | null | undefined {
  if (kind === 'absent') return null
  if (kind === 'unknown' || !isWhole || lines.some(({ text }) => text === null)) return undefined
  return lines.map(({ text }) => text).join((ending ?? fallback) === 'crlf' ? '\r\n' : '\n')
}
