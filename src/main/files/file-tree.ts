import { isTelling, UNKNOWN_LINE } from './aligned-lines.ts'
import { foundAgain } from './carried-over.ts'
import { HOLE, NOTHING_KNOWN, stateAfter, type Back, type FileState } from './file-state.ts'
import { FoundFiles, hasTexts, textsEverywhere } from './found-state.ts'
import { movedRest, targetsOf, type FileLine, type FileStep } from './file-step.ts'

/** Bounds the files of which the states are kept. */
const MAX_FILES = 5000

type Moved = Extract<FileStep, { kind: 'moved' }>

/** Follows the states of files through the steps of recorded calls, in their order. */
export class FileTree {
  readonly #states = new Map<string, FileState>()
  readonly #found = new FoundFiles()
  /** Texts that a call brought to every line that had another one: also to lines that nobody had recorded then. */
  readonly #everywhere = new Map<string, ReadonlySet<string>>()
  /** The last event that may have written a file, as its text says. */
  readonly #doubted = new Map<string, string>()

  state(path: string): FileState {
    return this.#states.get(path) ?? NOTHING_KNOWN
  }

  /** Takes the state in which Aspy wrote a file. A hole is an empty line then, which the record does not hold. */
  restore(path: string, state: FileState): void {
    this.#set(path, { ...state, kind: 'known', isWhole: true, doubtedSince: null }, '')
  }

  /** Takes a step of an event. Returns the paths that it is about; null: any. */
  apply(step: FileStep, event: string): readonly string[] | null {
    if (step.kind === 'doubted' && step.path === null) {
      for (const [path, state] of this.#states) {
        this.#found.note(event, path, state)
        this.#found.keep(path, state)
        this.#states.set(path, stateAfter(state, step, event))
      }
      return null
    }
    if (step.kind === 'unchanged') {
      const same = this.#found.unchanged(step, event)
      for (const [path, state] of same) this.#set(path, state, event)
      for (const [path, state] of this.#states) if (path.startsWith(`${step.path}/`)) this.#found.keep(path, state)
      return same.map(([path]) => path)
    }
    if (step.kind === 'found') {
      const state = this.state(step.path)
      const found = this.#found.after(state, step, event)
      this.#set(step.path, this.#found.again(step.path, state, found, event), event)
      this.#found.hold(step, this.state(step.path))
      return [step.path]
    }
    if (step.kind === 'moved') return this.#move(step, event)
    const path = step.path ?? ''
    if (step.kind === 'deleted' || step.kind === 'doubted') {
      const below = this.#below(path)
      for (const each of below) this.#found.keep(each, this.state(each))
      for (const each of below) this.#set(each, stateAfter(this.state(each), step, event), event)
      if (step.kind === 'doubted') this.#doubted.set(path, event)
      if (!below.includes(path)) this.#set(path, stateAfter(this.state(path), step, event), event)
      return [path, ...below.filter((each) => each !== path)]
    }
    const state = this.state(path)
    if (step.kind === 'written' || step.kind === 'shown') this.#found.keep(path, state)
    const back: Back = (isLike) => (state.doubtedSince === null ? undefined : this.#found.back(path, isLike))
    const shown = step.kind === 'shown' && step.isWhole && isTelling(step.lines.join('')) ? step : null
    const before = shown === null ? undefined : back((each) => hasTexts(each, shown.lines))
    const after =
      before === undefined
        ? stateAfter(state, step, event, back)
        : { ...before, isWhole: true, doubtedSince: null, ending: shown?.ending ?? before.ending }
    const isEdit = step.kind === 'changed' || step.kind === 'substituted'
    if (isEdit) this.#found.edited(path, step, state, after)
    this.#set(path, isEdit || step.kind === 'shown' ? this.#found.again(path, state, after, event) : after, event)
    if (step.kind === 'written') this.#everywhere.delete(path)
    const texts = textsEverywhere(step)
    if (texts.length > 0) this.#everywhere.set(path, new Set([...(this.#everywhere.get(path) ?? []), ...texts]))
    return [path]
  }

  #move(step: Moved, event: string): readonly string[] {
    const { path, isCopy } = step
    const to = this.#targetOf(step)
    const moved = new Set([path, ...this.#below(path)].filter((each) => movedRest(step, path, each) !== null))
    // Nobody knows whether the folder had files of the same names.
    const others = step.only === undefined ? [] : this.#below(to.path)
    for (const each of others) {
      const rest = movedRest(step, to.path, each)
      if (rest !== null) moved.add(`${path}${rest}`)
    }
    const targets = Array.from(moved, (from) => {
      const target = `${to.path}${from.slice(path.length)}`
      if (step.only !== undefined && this.state(from).kind === 'absent') return target
      const [source, present] = [this.state(from), this.state(target)]
      // What the same command wrote is often made of the file that it replaces, as by `sed … a > b && mv b a`.
      const isRemade = source.kind !== 'known' && this.#doubted.get(from) === event
      const isFree = present.kind !== 'known' || (to.isSure && !isRemade && step.isEarlier !== true)
      const doubt: FileStep = { kind: 'doubted', path: target }
      const state = isFree ? source : step.isEarlier === true ? withEarlier(present, source) : present
      const texts = this.#everywhere.get(from)
      if (texts !== undefined) this.#everywhere.set(target, texts)
      // Of a file that nobody knows, its lines may be anybody's.
      const isDoubted = !to.isSure || (source.kind !== 'known' && present.kind === 'known')
      this.#set(target, isDoubted ? stateAfter(state, doubt, event) : state, event)
      if (!isCopy) this.#set(from, stateAfter(this.state(from), { kind: 'deleted', path: from }, event), event)
      return target
    })
    // Where it went if not there.
    const elsewhere = to.isSure ? [] : targetsOf(step).filter((each) => each !== to.path)
    for (const each of elsewhere)
      this.#set(each, stateAfter(this.state(each), { kind: 'doubted', path: each }, event), event)
    return isCopy ? targets : [...moved, ...targets]
  }

  /** A folder of which a file is known is one; to another name without an ending, it may have gone in both ways. */
  #targetOf(step: Moved): { readonly path: string; readonly isSure: boolean } {
    const [to = step.to, into] = targetsOf(step)
    if (into === undefined && step.only === undefined) return { path: to, isSure: true }
    const isFolder = this.#below(to).some((each) => each !== to && this.state(each).kind === 'known')
    if (into === undefined) return { path: to, isSure: step.isSure || isFolder }
    const isFile = this.state(to).kind === 'known'
    if (isFolder || isFile) return { path: isFolder ? into : to, isSure: true }
    return { path: /\.[^./]+$/.test(step.path) ? into : to, isSure: false }
  }

  /** Of a line that is first seen with such a text, nobody knows whether the call changed it. */
  #withoutReplaced(path: string, state: FileState, event: string): FileState {
    const texts = [...(this.#everywhere.get(path) ?? [])]
    if (texts.length === 0) return state
    const isReplaced = ({ text, origin, event: by }: FileLine) =>
      origin === 'seen' && by === event && texts.some((each) => text?.includes(each))
    if (!state.lines.some(isReplaced)) return state
    return { ...state, lines: state.lines.map((line) => (isReplaced(line) ? { ...line, origin: 'unknown' } : line)) }
  }

  #below(folder: string): readonly string[] {
    return [...this.#states.keys()].filter((path) => path === folder || path.startsWith(`${folder}/`))
  }

  #set(path: string, state: FileState, event: string): void {
    this.#found.note(event, path, this.state(path))
    this.#states.delete(path)
    this.#states.set(path, this.#withoutReplaced(path, state, event))
    const eldest = this.#states.keys().next()
    if (this.#states.size > MAX_FILES && !eldest.done) this.#states.delete(eldest.value)
  }
}

/** Returns the state of a file that had the lines of another one before it was known: who wrote those is known there. */
function withEarlier(state: FileState, earlier: FileState): FileState {
  const isKnown = ({ origin }: FileLine) => origin === 'proven' || origin === 'derived'
  const texts = state.lines.map(({ text }) => text ?? UNKNOWN_LINE)
  const found = foundAgain(earlier.lines, texts, (_, at) => state.lines[at] ?? HOLE)
  return { ...state, lines: state.lines.map((line, at) => (isKnown(line) ? line : (found[at] ?? line))) }
}
