import { callSteps, type RecordedCall } from './call-steps.ts'
import type { FileState } from './file-state.ts'
import { movedRest, targetsOf, type FileStep } from './file-step.ts'
import { FileTree } from './file-tree.ts'
import { underName, type OtherName } from './other-names.ts'

/** A recorded call with the uuid of its event. */
export interface CallEvent extends RecordedCall {
  readonly uuid: string
  /** Names that it may have for the file that was asked for. */
  readonly others?: readonly OtherName[]
}

/** A step of a file's history, with the state after it. */
export interface HistoryStep<Call extends CallEvent> {
  readonly call: Call
  readonly step: FileStep
  /** The path that the file had then. */
  readonly path: string
  readonly state: FileState
}

/**
 * Tells the history of a file from the calls in their order; a file that was moved has that of its earlier paths, too.
 * A file may have many states, so keep only those that are needed.
 */
export function* fileHistory<Call extends CallEvent>(
  calls: readonly Call[],
  path: string,
): Generator<HistoryStep<Call>, void, undefined> {
  const steps = calls.flatMap((call) => stepsOf(call).map((step) => ({ call, step })))
  const paths = pathsOf(
    steps.map(({ step }) => step),
    path,
  )
  const tree = new FileTree()
  const restored = steps.flatMap(({ step }) => (step.kind === 'restored' ? step : []))
  const sources = new Map<FileStep, FileState>()
  for (const { call, step } of steps) {
    if (!concernsPath(step, paths)) continue
    const before = new Map([...paths].map((each) => [each, tree.state(each)]))
    tree.apply(step, call.uuid)
    const source = sources.get(step)
    if (step.kind === 'restored' && source !== undefined) tree.restore(step.path, source)
    for (const one of restored) if (one.event === call.uuid) sources.set(one, tree.state(one.from))
    for (const each of paths) {
      const state = tree.state(each)
      // Where it was before is another file's place from then on.
      if (each !== path && step.kind === 'doubted' && state.kind === 'absent') continue
      if (state !== before.get(each) || (step.kind !== 'doubted' && step.path === each))
        yield { call, step, path: each, state }
    }
  }
}

const known = new WeakMap<CallEvent, readonly FileStep[]>()

/** Returns what a call did to files; parsed once, since a file's earlier names are found in the same calls. */
export function stepsOf(call: CallEvent): readonly FileStep[] {
  const steps = known.get(call) ?? callSteps(call).map((step) => underName(step, call.others ?? []))
  known.set(call, steps)
  return steps
}

/** Bounds the names that a file is followed to. */
const MAX_PATHS = 50

/** Returns the path and the earlier ones of the same file, as moves and copies tell. */
export function pathsOf(steps: readonly FileStep[], path: string): ReadonlySet<string> {
  const paths = new Set([path])
  for (const step of steps.toReversed()) {
    if (step.kind === 'restored' && paths.has(step.path)) paths.add(step.from)
    if (step.kind !== 'moved') continue
    const before = Array.from(paths)
    if (before.length >= MAX_PATHS) break
    for (const to of targetsOf(step))
      for (const known of before) {
        const rest = movedRest(step, to, known)
        if (rest !== null) paths.add(`${step.path}${rest}`)
      }
  }
  return paths
}

/** Returns whether a step may have touched one of these files. */
export function concernsPath(step: FileStep, paths: ReadonlySet<string>): boolean {
  const { path } = step
  if (path === null) return true
  const touched = step.kind === 'moved' ? [path, ...targetsOf(step)] : [path]
  const isOfFolder =
    step.kind === 'deleted' || step.kind === 'doubted' || step.kind === 'moved' || step.kind === 'unchanged'
  return touched.some((one) => paths.has(one) || (isOfFolder && [...paths].some((each) => each.startsWith(`${one}/`))))
}
