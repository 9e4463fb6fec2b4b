import { foundAgain } from './carried-over.ts'
import { made, whole, type FileState } from './file-state.ts'
import { linesIn, type FileStep } from './file-step.ts'

type Found = Extract<FileStep, { kind: 'found' }>
type Unchanged = Extract<FileStep, { kind: 'unchanged' }>

/** What looks at the disk told about files, through the steps of recorded calls. */
export class FoundFiles {
  /** States by the hash of their bytes: what comes back, or moves, has the origins that it had. */
  readonly #byHash = new Map<string, FileState>()
  /** Files that were found, so a later look would tell of a change. */
  readonly #watched = new Set<string>()
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
    const { path, hash, why } = step
    this.note(event, path, state)
    this.#found.add(path)
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
    if (hash !== null) this.#byHash.set(hash, now)
    return now
  }

  /** Returns the files that a call did not change, whatever its text says, with the states that they have. */
  unchanged({ path: root }: Unchanged, event: string): readonly (readonly [path: string, state: FileState])[] {
    if (this.#call !== event) return []
    return [...this.#before].filter(
      ([path]) => path.startsWith(`${root}/`) && this.#watched.has(path) && !this.#found.has(path),
    )
  }

  #now(state: FileState, { path, hash, text, at, isSure }: Found, event: string): FileState | null {
    const { lines, ending } = text === null ? { lines: null, ending: null } : linesIn(text)
    const isKnown = state.kind === 'known' && state.isWhole
    // What the call says of itself tells more than what it left.
    if (
      isKnown &&
      lines !== null &&
      lines.length === state.lines.length &&
      lines.every((line, index) => state.lines[index]?.text === line)
    )
      return { ...state, ending, doubtedSince: null }
    const again = hash === null ? undefined : this.#byHash.get(hash)
    if (again !== undefined) return { ...again, kind: 'known', doubtedSince: null }
    if (lines === null) return null
    const known = state.kind === 'absent' ? [] : state.lines
    const isOwn = at === 'after' && isSure && this.#begun.has(path)
    const origin = isOwn ? 'derived' : at === 'before' && state.doubtedSince === null ? 'seen' : 'unknown'
    const hasSameEnds = isOwn || (isKnown && state.doubtedSince === null)
    return whole(
      foundAgain(known, lines, (line) => made(line, origin, event), hasSameEnds),
      ending,
    )
  }
}
