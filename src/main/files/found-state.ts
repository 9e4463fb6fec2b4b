import { isTelling, onceIn } from './aligned-lines.ts'
import { foundAgain } from './carried-over.ts'
import { changedBetween } from './earlier-forms.ts'
import { made, whole, type FileState } from './file-state.ts'
import { formatted } from './present-lines.ts'
import { addedTexts } from './told-lines.ts'
import { linesIn, type FileLine, type FileStep } from './file-step.ts'

type Found = Extract<FileStep, { kind: 'found' }>
type Unchanged = Extract<FileStep, { kind: 'unchanged' }>

/** Bounds the earlier states of a file that are kept. */
const MAX_EARLIER = 40

/** A state, with how many lines edits had made of the file until then. */
interface Kept {
  readonly state: FileState
  readonly at: number
}

/** Earlier states of a file, in which a command began or ended, and their lines: git or an undo brings them back. */
interface Earlier {
  readonly states: Kept[]
  readonly lines: Map<string, FileLine | null>
  readonly made: { readonly text: string; readonly isPart: boolean }[]
}

/** What looks at the disk told about files, through the steps of recorded calls. */
export class FoundFiles {
  /** States by the hash of their bytes: what comes back, or moves, has the origins that it had. */
  readonly #byHash = new Map<string, Kept & { readonly path: string }>()
  /** Files that were found, so a later look would tell of a change. */
  readonly #watched = new Set<string>()
  readonly #earlier = new Map<string, Earlier>()
  /** Of the present call: the states before it, and the files that were found. */
  #call = ''
  readonly #before = new Map<string, FileState>()
  readonly #found = new Set<string>()
  /** Files of which the state before it is known, too. */
  readonly #begun = new Set<string>()

  /** Notes the state that a step of a call is about to change. */
  note(call: string, path: string, state: FileState): void {
    if (this.#call !== call) {
      this.#before.clear()
      this.#found.clear()
      this.#begun.clear()
    }
    this.#call = call
    if (!this.#before.has(path)) this.#before.set(path, state)
  }

  /** Returns the state of a file that was found like this. */
  after(state: FileState, step: Found, event: string): FileState {
    const { path, why } = step
    this.note(event, path, state)
    if (step.at === 'after') this.#found.add(path)
    if (why === 'ignored') this.#watched.delete(path)
    else this.#watched.add(path)
    const now = why === 'gone' ? null : this.#now(state, step, event)
    if (step.at === 'before' && (now !== null || why === 'gone')) this.#begun.add(path)
    if (why === 'gone') return { ...state, kind: 'absent', doubtedSince: null }
    if (now === null)
      return {
        ...state,
        kind: state.kind === 'absent' ? 'unknown' : state.kind,
        doubtedSince: state.doubtedSince ?? event,
      }
    return now
  }

  /** Holds the state that a file was found in, as far as the disk told it. */
  hold({ hash, path, at }: Found, state: FileState): void {
    // The call itself begins with it.
    if (at === 'before') this.#before.set(path, state)
    if (hash === null || state.kind !== 'known' || state.doubtedSince !== null) return
    this.#byHash.set(hash, { state, path, at: this.#earlierOf(path).made.length })
  }

  /** Returns the files that a call did not change, whatever its text says, with the states that they have. */
  unchanged({ path: root }: Unchanged, event: string): readonly (readonly [path: string, state: FileState])[] {
    if (this.#call !== event) return []
    return [...this.#before].filter(
      ([path]) => path.startsWith(`${root}/`) && this.#watched.has(path) && !this.#found.has(path),
    )
  }

  /** Keeps a state in which a command ended, or that something is about to replace. */
  keep(path: string, state: FileState): void {
    const { states, lines, made: texts } = this.#earlierOf(path)
    if (state.kind !== 'known' || states.at(-1)?.state.lines === state.lines) return
    states.push({ state, at: texts.length })
    if (states.length > MAX_EARLIER) states.shift()
    // Of a text that says little, or that was there several times, nobody knows which line is back.
    const once = onlyOnes(state.lines)
    for (const line of state.lines) if (line.text !== null) lines.set(line.text, once.has(line.text) ? line : null)
  }

  /**
   * Notes what an edit made of a file: of a line that it took and that is there again, or of one that is as it made others,
   * nobody knows who wrote it.
   */
  edited(path: string, step: FileStep, before: FileState, after: FileState): void {
    const { lines, made: texts } = this.#earlierOf(path)
    const [lost, fresh] = changedBetween(before.lines, after.lines)
    for (const { text } of lost) if (text !== null && !lines.has(text)) lines.set(text, null)
    texts.push(...fresh.flatMap(({ text }) => (text === null ? [] : { text, isPart: false })))
    texts.push(...partsMade(step).map((text) => ({ text, isPart: true })))
  }

  /** Returns the latest of the earlier states of a file that is like this. */
  back(path: string, isLike: (state: FileState) => boolean): FileState | undefined {
    const kept = this.#earlierOf(path).states.findLast(({ state }) => isLike(state))
    return kept && this.#since(path, kept)
  }

  #earlierOf(path: string): Earlier {
    const known = this.#earlier.get(path) ?? { states: [], lines: new Map<string, FileLine | null>(), made: [] }
    this.#earlier.set(path, known)
    return known
  }

  /** Returns a state that is back: which of its lines an edit made since, of the same text, nobody knows. */
  #since(path: string, { state, at }: Kept): FileState {
    const since = Map.groupBy(this.#earlierOf(path).made.slice(at), ({ isPart }) => isPart)
    const textsOf = (isPart: boolean) => new Set(since.get(isPart)?.map(({ text }) => text))
    const [whole, parts] = [textsOf(false), [...textsOf(true)]]
    const isMade = ({ text }: FileLine) =>
      text !== null && (whole.has(text) || parts.some((part) => text.includes(part)))
    if (!state.lines.some(isMade)) return state
    return { ...state, lines: state.lines.map((line) => (isMade(line) ? { ...line, origin: 'unknown' } : line)) }
  }

  /**
   * Returns a state in which lines that an event showed, and that were there earlier, have the origins that they had, if a
   * command may have brought them back. What a person did, nobody knows.
   */
  again(path: string, before: FileState, state: FileState, event: string): FileState {
    const earlier = this.#earlier.get(path)?.lines
    const present = new Set(before.lines)
    // Of the event, or one that was there with other signs: then it may have come back from before those, too.
    const isShown = (line: FileLine) =>
      line.event === event ? line.origin === 'seen' || line.origin === 'unknown' : !present.has(line)
    if (earlier === undefined || !state.lines.some(isShown)) return state
    const once = onlyOnes(state.lines)
    const lines = state.lines.map((line): FileLine => {
      const known = line.text === null || !isShown(line) ? undefined : earlier.get(line.text)
      if (known === undefined || (line.event !== event && (known === null || known.event === line.event))) return line
      const isBack = before.doubtedSince !== null && known !== null && once.has(known.text ?? '')
      return isBack ? known : { ...line, origin: 'unknown' }
    })
    return { ...state, lines }
  }

  #now(state: FileState, { path, hash, text, at, isSure, said }: Found, event: string): FileState | null {
    const held = hash === null ? undefined : this.#byHash.get(hash)
    const again = held && (held.path === path ? this.#since(path, held) : held.state)
    const { lines, ending } = text === null ? { lines: null, ending: again?.ending ?? null } : linesIn(text)
    const isKnown = state.kind === 'known' && state.isWhole
    // What the call says of itself tells more than what it left.
    const texts = lines ?? again?.lines.map((line) => line.text)
    if (isKnown && texts !== undefined && hasTexts(state, texts)) return { ...state, ending, doubtedSince: null }
    if (again !== undefined) return { ...again, kind: 'known', doubtedSince: null }
    if (lines === null) return null
    const back = this.back(path, (each) => hasTexts(each, lines))
    if (back !== undefined) return { ...back, ending, doubtedSince: null }
    const known = state.kind === 'absent' ? [] : state.lines
    const isBegun = at === 'after' && this.#begun.has(path)
    const isOwn = isBegun && isSure
    const own = (line: string) => made(line, 'derived', event)
    const inPlace = isOwn ? changedInPlace(known, lines, own) : null
    if (inPlace !== null) return whole(inPlace, ending)
    const origin = isOwn ? 'derived' : at === 'before' && state.doubtedSince === null ? 'seen' : 'unknown'
    const between = isOwn ? 'call' : isKnown ? 'whole' : 'part'
    const originOf = (line: string) => (isBegun && said?.has(line) === true ? 'derived' : origin)
    const found = foundAgain(known, lines, (line) => made(line, originOf(line), event), between, origin === 'seen')
    return whole(found, ending)
  }
}

/** Returns the texts that a step may have brought into lines of which it does not name the rest. */
function partsMade(step: FileStep): readonly string[] {
  const parts = step.kind === 'changed' ? addedTexts(step.parts, false).map((text) => text.trim()) : []
  return [...textsEverywhere(step), ...parts.filter((text) => isTelling(text, TELLING_PART))]
}

/** Returns the texts that a step brought to all places of others, line by line. */
export function textsEverywhere(step: FileStep): readonly string[] {
  if (step.kind === 'substituted') return [step.after]
  if (step.kind !== 'changed') return []
  const parts = step.parts.flatMap((part) => (part.kind === 'replaced' && part.isAll === true ? part.after : []))
  return parts.flatMap((text) => text.split('\n').map((line) => line.trim()))
}

const TELLING_PART = 4

/** Returns the texts that only one line has, and that tell enough. */
const onlyOnes = (lines: readonly FileLine[]): ReadonlySet<string> =>
  new Set([...onceIn(lines.map(({ text }) => text ?? '')).keys()].filter((text) => isTelling(text)))

/** Returns whether a file has these lines. */
export const hasTexts = (state: FileState, lines: readonly (string | null)[]): boolean =>
  lines.length === state.lines.length && lines.every((line, index) => isSame(state.lines[index], line))

/** Returns the lines after a command that only changed some in their places, as a substitution or a formatter does; else null. */
function changedInPlace(known: readonly FileLine[], lines: readonly string[], create: (text: string) => FileLine) {
  if (known.length !== lines.length) return null
  const next: FileLine[] = []
  for (const [at, line] of known.entries()) {
    const [old, text] = [line.text, lines[at] ?? '']
    const isKept = isSame(line, text)
    if (!isKept && (old === null || !isAlike(old.trim(), text.trim()))) return null
    next.push(isKept ? line : formatted(old ?? '') === formatted(text) ? { ...line, text } : create(text))
  }
  return next
}

/** A line in which Aspy removed something is a hole before and after. */
const isSame = (line: FileLine | undefined, text: string | null): boolean =>
  line?.text === text || (text !== null && line?.text === null && made(text, 'seen', '').text === null)

/** True if most of two texts is the same, from both ends. */
function isAlike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  let [head, tail] = [0, 0]
  while (head < short.length && short[head] === long[head]) head += 1
  while (tail < short.length - head && short.at(-1 - tail) === long.at(-1 - tail)) tail += 1
  return 2 * (head + tail) > long.length
}
