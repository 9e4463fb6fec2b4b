import type { ChangePart } from '../../shared/file-change.ts'
import { isTelling, UNKNOWN_LINE } from './aligned-lines.ts'
import { carriedOver, foundAgain } from './carried-over.ts'
import { changedLines } from './changed-lines.ts'
import { changedBetween } from './earlier-forms.ts'
import { addedTexts, showsAll, signedTexts, toldPlaces, type ToldPlace } from './told-lines.ts'
import { linesIn, withoutReturn, type FileLine, type FileStep, type LineEnding, type LineOrigin } from './file-step.ts'

/** What is known of a file at one moment. A text that ends with a newline has an empty last line. */
export interface FileState {
  /** `unknown`: nothing was shown of it, or all of it may have changed. */
  readonly kind: 'known' | 'absent' | 'unknown'
  readonly lines: readonly FileLine[]
  /** All of its lines are among `lines`; holes are lines, too. */
  readonly isWhole: boolean
  /** The event since which it may be different. */
  readonly doubtedSince: string | null
  readonly ending: LineEnding
}

export const NOTHING_KNOWN: FileState = {
  kind: 'unknown',
  lines: [],
  isWhole: false,
  doubtedSince: null,
  ending: null,
}

/** Aspy's marks for what it removed or cut: such a line is a hole. */
const REMOVED = /\[redacted:|<private>|\.\.\. \[truncated(?:, \d+ \w+ total)?\]$/
/** Of one line: what was cut off may be many. */
const REDACTED = /\[redacted:|<private>/

/** A line of which the record has no text. */
export const HOLE: FileLine = { text: null, origin: 'unknown', event: null }

/** Finds the earlier state that is like this, if git or an undo may have brought one back. */
export type Back = (isLike: (earlier: FileState) => boolean) => FileState | undefined

/** Returns the state after a step of the file itself. Deleting, moving and copying are a folder's matter, too. */
export function stateAfter(state: FileState, step: FileStep, event: string, back: Back = () => undefined): FileState {
  switch (step.kind) {
    case 'written': {
      const { lines, ending } = linesIn(step.text)
      const isKept = !step.isExact && ending === 'lf' && state.kind !== 'absent' && state.ending !== 'lf'
      // Where the client says that it made the file, something else had removed the one that is known.
      const isMade = step.isExact && step.origin !== 'derived'
      const before = state.kind === 'absent' || isMade ? [] : state.lines
      // One that the client takes for an earlier line, and that is not found as that, may be either; so may one of a deleted
      // file that somebody brought back.
      const texts = new Set(state.lines.map(({ text }) => text && withoutReturn(text)))
      const earlier = (text: string) => (state.doubtedSince === null && !texts.has(text) ? 'seen' : 'unknown')
      const create = (text: string, at: number) =>
        made(text, (step.added?.has(at) ?? true) ? step.origin : earlier(text), event)
      const kept = carriedOver(before, lines, create, step.isIndentedAgain, state.doubtedSince === null)
      // Of a file of which no line that tells stayed, the whole text is new.
      const isKnown = before.length > 0 && lines.some((text) => isTelling(text) && texts.has(text))
      const isOther = step.added === undefined && !isKnown
      // What the client says of its lines is more than what is known of the file.
      const isNew = ({ origin }: FileLine, at: number) => step.added?.has(at) ?? (isOther && origin === 'unknown')
      const written = kept.map((line, at) => (isNew(line, at) ? create(lines[at] ?? '', at) : line))
      return whole(written, isKept ? null : ending)
    }
    case 'appended':
      return appended(state, step.text, event)
    case 'shown':
      return shown(state, step, event)
    case 'changed':
      return changed(state, step, event, back)
    case 'substituted':
      return { ...state, lines: state.lines.map((line) => substituted(line, step, event)) }
    case 'deleted':
      return { ...state, kind: 'absent', doubtedSince: null }
    case 'doubted':
      // A command that names no file says little of one that nobody knows.
      if (step.path === null)
        return state.doubtedSince !== null || state.kind === 'unknown' ? state : { ...state, doubtedSince: event }
      // What wrote this one may have changed how its lines end, too.
      return { ...state, doubtedSince: state.doubtedSince ?? event, ending: null }
    case 'moved':
    case 'restored':
    case 'found':
    case 'unchanged':
      return state
  }
}

/** Returns the state of a file of which all lines are known. */
export const whole = (lines: readonly FileLine[], ending: LineEnding): FileState => ({
  kind: 'known',
  lines,
  isWhole: true,
  doubtedSince: null,
  ending,
})

/** Returns a line that an event made; a hole where Aspy removed something. */
export const made = (text: string, origin: LineOrigin, event: string): FileLine =>
  // An edit may join a line with one that is not known.
  REMOVED.test(text) || text.includes(UNKNOWN_LINE) ? HOLE : { text, origin, event }

function substituted(line: FileLine, step: Extract<FileStep, { kind: 'substituted' }>, event: string): FileLine {
  if (line.text?.includes(step.before) !== true) return line
  const after = () => step.after
  const text = step.isAll ? line.text.replaceAll(step.before, after) : line.text.replace(step.before, after)
  return text === line.text ? line : made(text, 'derived', event)
}

function appended(state: FileState, text: string, event: string): FileState {
  // As `touch` does: a file is made if there is none.
  if (text === '' && state.kind !== 'absent') return state
  const added = text.split('\n').map((line) => made(line, 'derived', event))
  if (state.kind === 'absent') return whole(added, 'lf')
  const last = state.lines.at(-1)
  if (state.kind === 'unknown' || !state.isWhole || typeof last?.text !== 'string') {
    const known = last?.text === '' ? state.lines.slice(0, -1) : state.lines
    // Its end is not known.
    const doubtedSince = state.doubtedSince ?? event
    return { ...state, kind: 'known', isWhole: false, lines: [...known, HOLE, ...added], doubtedSince }
  }
  const [first = ''] = text.split('\n')
  // Of an empty line, each of them wrote the end of one.
  const isBoth = last.text === '' && first === '' && added.length > 1
  const kept = isBoth ? { ...last, origin: 'unknown' as const, event: null } : last
  const begun = first === '' ? kept : made(`${last.text}${first}`, 'derived', event)
  const ending = state.ending === 'crlf' ? null : state.ending
  return { ...state, ending, lines: [...state.lines.slice(0, -1), begun, ...added.slice(1)] }
}

type Shown = Extract<FileStep, { kind: 'shown' }>

/** What somebody else wrote is `seen`; what a command in between may have written is `unknown`. */
function shown(state: FileState, { from, lines, isWhole, ending: told }: Shown, event: string): FileState {
  const origin: LineOrigin = state.doubtedSince === null ? 'seen' : 'unknown'
  // A sign that the client could not read was another one.
  const create = (text: string) => (text.includes('\uFFFD') ? HOLE : made(text, origin, event))
  const known = state.kind === 'absent' ? [] : state.lines
  const ending = told ?? (state.kind === 'absent' ? null : state.ending)
  const between = state.isWhole ? 'whole' : 'part'
  if (isWhole) return whole(foundAgain(known, lines, create, between, state.doubtedSince === null), ending)
  const isAsBefore = lines.every((text, at) => known[from - 1 + at]?.text === text)
  if (isAsBefore && state.kind === 'known') return { ...state, ending }
  const isSparse = state.kind === 'known' && state.doubtedSince === null && fits(state, from, lines)
  if (!isSparse) return moved({ ...state, ending }, known, from, foundAgain(known, lines, create), event)
  const all = Array.from({ length: Math.max(known.length, from - 1 + lines.length) }, (_, at) => {
    const piece = lines[at - from + 1]
    const line = known[at]
    return line !== undefined && line.text !== null ? line : piece === undefined ? HOLE : create(piece)
  })
  return { ...state, kind: 'known', lines: all, ending }
}

/** Anything may have moved that is not shown again: it is kept around what is, but in doubt. */
function moved(
  state: FileState,
  known: readonly FileLine[],
  from: number,
  lines: readonly FileLine[],
  event: string,
): FileState {
  const places = new Map(known.map((line, at) => [line, at]))
  const still = lines.flatMap((line) => places.get(line) ?? [])
  const [first = from - 1, last = from - 2 + lines.length] = [still[0], still.at(-1)]
  // What is shown elsewhere than it was is there no more.
  const isElsewhere = (line: FileLine) => line.text === null || !shownAgain.has(line)
  const shownAgain = new Set(lines)
  const head = known.slice(0, Math.min(first, last + 1)).filter(isElsewhere)
  const tail = known.slice(last + 1).filter(isElsewhere)
  let surplus = head.length - (from - 1)
  // A hole has no fixed place.
  const kept = head.toReversed().filter(({ text }) => text !== null || (surplus -= 1) < 0)
  const holes = Array.from({ length: Math.max(0, from - 1 - kept.length) }, () => HOLE)
  const isDoubted = head.length > 0 || tail.length > 0
  return {
    ...state,
    kind: 'known',
    lines: [...kept.toReversed(), ...holes, ...lines, ...tail],
    isWhole: false,
    doubtedSince: state.doubtedSince ?? (isDoubted ? event : null),
  }
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

/** Returns whether the lines that a change names are in a file, and say enough to know it by them. */
function hasChanged({ lines }: FileState, { parts }: Changed): boolean {
  const named = parts.map((part) => (part.kind === 'replaced' ? part.before : part.text)).join('')
  return isTelling(named) && withParts(lines, parts, (text) => made(text, 'unknown', '')) !== null
}

/** An edit succeeds only if its old text is in the file: if it is not in ours, ours is not the file. */
function changed(state: FileState, step: Changed, event: string, back: Back): FileState {
  const { parts, told, isNew, origin } = state.isWhole && state.doubtedSince === null ? withHoles(step) : step
  const create = (text: string) => made(text, origin, event)
  if (isNew) return whole(parts.flatMap(addedLines).map(create), 'lf')
  const found = withParts(state.lines, parts, create) ?? withParts(state.lines, told, create)
  // A file that may be another one by now may have another line behind what an edit names: ours would be joined with it.
  const isJoined = (part: ChangePart) =>
    part.kind === 'replaced' && part.before.endsWith('\n') && !part.after.endsWith('\n')
  const mayDiffer = state.doubtedSince !== null && parts.some(isJoined)
  const isThere = found !== null && (!mayDiffer || showsAll(told, changedBetween(state.lines, found)[1]))
  const lines = isThere ? found : null
  const earlier = lines === null ? back((each) => hasChanged(each, step)) : undefined
  if (earlier !== undefined)
    return changed({ ...earlier, doubtedSince: state.doubtedSince }, step, event, () => undefined)
  if (lines === null || state.kind !== 'known')
    return placed(state, toldPlaces(told, parts, state.lines), addedTexts(parts), origin, event)
  // A patch adds its lines as they are; an edit takes the ending of the file.
  const isMixed = state.ending === 'crlf' && parts.some(({ kind }) => kind === 'lines')
  return { ...state, lines, ending: isMixed ? null : state.ending }
}

/** Of a file of which all lines are known, a line in which Aspy removed something is the hole that was made of it. */
function withHoles(step: Changed): Changed {
  const holed = (text: string, lines: RegExp) =>
    text.replaceAll(lines, (line) => (REDACTED.test(line) ? UNKNOWN_LINE : line))
  const partOf = (part: ChangePart): ChangePart => {
    if (!REDACTED.test(part.kind === 'lines' ? part.text : part.before)) return part
    if (part.kind === 'lines') return { ...part, text: holed(part.text, /(?<=^[ +-]).+$/gm) }
    const before = holed(part.before, /^.+$/gm)
    // Of its first and last line, it may name a part only.
    const [head, tail] = [before.startsWith(UNKNOWN_LINE), before.endsWith(UNKNOWN_LINE)]
    if (part.after === '' && (head || tail)) return part
    return { ...part, before, after: `${head ? UNKNOWN_LINE : ''}${part.after}${tail ? UNKNOWN_LINE : ''}` }
  }
  return { ...step, parts: step.parts.map(partOf), told: step.told.map(partOf) }
}

/** A change of lines that are not known is one of those that the client shows with their numbers, or somewhere. */
function placed(
  state: FileState,
  places: readonly ToldPlace[],
  added: readonly string[],
  origin: LineOrigin,
  event: string,
): FileState {
  const kind = state.kind === 'absent' ? 'unknown' : state.kind
  let after: FileState = { ...state, kind, doubtedSince: state.doubtedSince ?? event }
  const loose = places.length === 0 ? added : []
  if (loose.length > 0) {
    const known = kind === 'known' ? state.lines : []
    const lines = [...known, HOLE, ...loose.map((text) => made(text, origin, event))]
    return { ...after, kind: 'known', isWhole: false, lines }
  }
  for (const { from, lines } of places) {
    const known = after.kind === 'known' ? after.lines : []
    const around = foundAgain(
      known,
      lines.map(({ text }) => text),
      (text) => made(text, state.doubtedSince === null ? 'seen' : 'unknown', event),
    )
    const all = lines.map(({ text, isAdded, mayHaveMoved }, at) => {
      const line = around[at] ?? HOLE
      if (isAdded) return made(text, origin, event)
      return mayHaveMoved && line.event === event ? { ...line, origin: 'unknown' as const, event: null } : line
    })
    after = { ...moved(after, known, from, all, event), doubtedSince: after.doubtedSince }
  }
  return after
}

/** Returns the lines after a change; null if one of its parts has no place among them, or several. */
function withParts(
  before: readonly FileLine[],
  parts: readonly ChangePart[],
  create: (text: string) => FileLine,
): readonly FileLine[] | null {
  let lines: readonly FileLine[] | null = parts.length === 0 ? null : before
  for (const part of parts) lines = lines === null ? null : changedLines(lines, part, create)
  return lines
}

const addedLines = (part: ChangePart): readonly string[] =>
  part.kind === 'replaced' ? part.after.split('\n') : [...signedTexts(part, /^\+/), '']
