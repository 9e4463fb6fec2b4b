import type { ChangePart } from '../../shared/file-change.ts'
import { carriedOver, UNKNOWN_LINE } from './carried-over.ts'
import { changedLines } from './changed-lines.ts'
import type { FileLine, FileStep, LineOrigin } from './file-step.ts'

/** What is known of a file at one moment. A text that ends with a newline has an empty last line. */
export interface FileState {
  /** `unknown`: nothing was shown of it, or all of it may have changed. */
  readonly kind: 'known' | 'absent' | 'unknown'
  readonly lines: readonly FileLine[]
  /** All of its lines are among `lines`; holes are lines, too. */
  readonly isWhole: boolean
  /** The event since which it may be different. */
  readonly doubtedSince: string | null
}

export const NOTHING_KNOWN: FileState = { kind: 'unknown', lines: [], isWhole: false, doubtedSince: null }

/** Aspy's marks for what it removed or cut: such a line is a hole. */
const REMOVED = /\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]|<private>|\.\.\. \[truncated\]$/

const HOLE: FileLine = { text: null, origin: 'unknown', event: null }

/** Returns the state after a step of the file itself. Deleting, moving and copying are a folder's matter, too. */
export function stateAfter(state: FileState, step: FileStep, event: string): FileState {
  switch (step.kind) {
    case 'written': {
      const lines = step.text.split('\n')
      return whole(aligned(state, lines, step.isByCommand ? 'derived' : 'proven', event))
    }
    case 'appended':
      return appended(state, step.text, event)
    case 'shown':
      return shown(state, step, event)
    case 'changed':
      return changed(state, step, event)
    case 'deleted':
      return { kind: 'absent', lines: state.lines, isWhole: state.isWhole, doubtedSince: null }
    case 'doubted':
      return state.doubtedSince !== null || state.kind === 'unknown' ? state : { ...state, doubtedSince: event }
    case 'moved':
      return state
  }
}

const whole = (lines: readonly FileLine[]): FileState => ({ kind: 'known', lines, isWhole: true, doubtedSince: null })

const made = (text: string, origin: LineOrigin, event: string): FileLine =>
  // An edit may join a line with one that is not known.
  REMOVED.test(text) || text.includes(UNKNOWN_LINE) ? HOLE : { text, origin, event }

/** Returns the lines of a text: those that were there before keep where they come from. */
function aligned(state: FileState, texts: readonly string[], origin: LineOrigin, event: string): FileLine[] {
  const before = state.kind === 'absent' ? [] : state.lines
  return carriedOver(before, texts, (text) => made(text, origin, event))
}

function appended(state: FileState, text: string, event: string): FileState {
  if (state.kind === 'absent') return whole(text.split('\n').map((line) => made(line, 'derived', event)))
  const last = state.lines.at(-1)
  if (state.kind === 'unknown' || !state.isWhole || typeof last?.text !== 'string')
    return { ...state, doubtedSince: state.doubtedSince ?? event }
  const [first = '', ...others] = text.split('\n')
  const joined = last.text === '' ? first : `${last.text}${first}`
  const begun = first === '' ? last : made(joined, 'derived', event)
  return {
    ...state,
    lines: [...state.lines.slice(0, -1), begun, ...others.map((line) => made(line, 'derived', event))],
  }
}

type Shown = Extract<FileStep, { kind: 'shown' }>

/** What somebody else wrote is `seen`; what a command in between may have written is `unknown`. */
function shown(state: FileState, { from, lines, isWhole }: Shown, event: string): FileState {
  const origin: LineOrigin = state.doubtedSince === null ? 'seen' : 'unknown'
  const create = (text: string) => made(text, origin, event)
  if (isWhole) return whole(carriedOver(state.kind === 'absent' ? [] : state.lines, lines, create))
  const isAsBefore = lines.every((text, at) => state.lines[from - 1 + at]?.text === text)
  if (isAsBefore && state.kind === 'known') return state
  const isSparse = state.kind === 'known' && state.doubtedSince === null && fits(state, from, lines)
  // Anything may have moved that is not shown again.
  const kept = isSparse ? state.lines : []
  const length = Math.max(kept.length, from - 1 + lines.length)
  const carried = isSparse ? lines.map(create) : carriedOver(state.kind === 'absent' ? [] : state.lines, lines, create)
  const all = Array.from({ length }, (_, at) => {
    const piece = carried[at - from + 1]
    const known = kept[at]
    return known !== undefined && known.text !== null ? known : (piece ?? HOLE)
  })
  return { kind: 'known', lines: all, isWhole: isSparse && state.isWhole, doubtedSince: null }
}

/** True if the shown lines contradict none that are known. */
function fits(state: FileState, from: number, lines: readonly string[]): boolean {
  if (state.isWhole && from - 1 + lines.length > state.lines.length) return false
  return lines.every((text, at) => {
    const known = state.lines[from - 1 + at]
    return known === undefined || known.text === null || known.text === text
  })
}

type Changed = Extract<FileStep, { kind: 'changed' }>

/** An edit succeeds only if its old text is in the file: if it is not in ours, ours is not the file. */
function changed(state: FileState, { parts, told, isNew }: Changed, event: string): FileState {
  if (isNew) return whole(parts.flatMap(addedLines).map((text) => made(text, 'proven', event)))
  const lines = withParts(state.lines, parts, event) ?? withParts(state.lines, told, event)
  if (lines !== null && state.kind === 'known') return { ...state, lines }
  return { ...state, kind: state.kind === 'absent' ? 'unknown' : state.kind, doubtedSince: state.doubtedSince ?? event }
}

/** Returns the lines after a change; null if one of its parts has no place among them, or several. */
function withParts(
  before: readonly FileLine[],
  parts: readonly ChangePart[],
  event: string,
): readonly FileLine[] | null {
  let lines: readonly FileLine[] | null = parts.length === 0 ? null : before
  for (const part of parts)
    lines = lines === null ? null : changedLines(lines, part, (text) => made(text, 'proven', event))
  return lines
}

function addedLines(part: ChangePart): readonly string[] {
  if (part.kind === 'replaced') return part.after.split('\n')
  const lines = part.text
    .split('\n')
    .filter((line) => line.startsWith('+'))
    .map((line) => line.slice(1))
  return [...lines, '']
}
