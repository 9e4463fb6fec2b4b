import type { Json } from '../../shared/json.ts'
import { toolShape } from '../../shared/tool-shape.ts'
import { callSteps } from './call-steps.ts'
import { targetsOf, type FileStep } from './file-step.ts'
import { joinedPath, nameOf } from './joined-path.ts'
import { planOf, shownFile } from './shell-steps.ts'

/** What a call may do to files, by its input alone. */
export interface Touches {
  /** Whole paths, and the names of files whose folder the call does not say, after a star. */
  readonly paths: readonly string[]
  /** `any`: it may write any file, whatever its result is; `failed`: only if it failed. */
  readonly others: 'none' | 'any' | 'failed'
  /** Later commands may run in another folder. */
  readonly movesOn: boolean
}

/** Where a command runs, which its text does not say: deep enough for the ways up that people take. */
const HERE = `/${'\0/'.repeat(12)}`
const MAX_NAMED = 20

/** Returns the name under which a file is found whose folder is not known. */
export const nameAlone = (path: string): string => `*/${nameOf(path)}`

/** Returns what a call may do to files. The paths that it names are among them even if it does nothing to them. */
export function touchesOf(toolName: string, input: Json): Touches {
  const shape = toolShape(toolName, input)
  const call = { toolName, input, output: '', detail: undefined, isSuccess: true, isRejected: false, folder: HERE }
  const steps = callSteps(call)
  const isAny = steps.some((step) => step.kind === 'doubted' && step.path === null)
  const paths = steps.flatMap(pathsOfStep)
  if (shape.kind === 'read') paths.push(joinedPath(HERE, shape.path) ?? shape.path)
  const isCommand = shape.kind === 'command'
  const begin = isCommand && shape.folder !== null ? joinedPath(HERE, shape.folder) : HERE
  const plan = isCommand ? planOf(shape.command, begin) : null
  const shown = plan === null ? null : shownFile(plan, begin)
  if (shown !== null) paths.push(shown.path)
  const isAnywhere = isCommand && paths.some((path) => `${path}/` === HERE || HERE.startsWith(`${path}/`))
  const others = isAny ? 'any' : isAnywhere || (plan?.isLost === true && steps.length > 0) ? 'failed' : 'none'
  const movesOn = isCommand && MOVES.test(shape.command)
  return { paths: named([...paths, ...(isAny ? wholePaths(input) : [])]), others, movesOn }
}

const MOVES = /(?:^|[\s;&|({])(?:cd|pushd|popd)\b/

/** Returns the paths that a step names. */
export function pathsOfStep(step: FileStep): readonly string[] {
  if (step.kind === 'moved') return [step.path, ...targetsOf(step)]
  return step.path === null ? [] : [step.path]
}

function named(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => (path.includes('\0') ? nameAlone(path) : path)))]
}

/** Returns the whole paths in a call of which nobody knows what it did to them. */
function wholePaths(input: Json): readonly string[] {
  const text = JSON.stringify(input) ?? ''
  const found = text.slice(0, 20_000).matchAll(/(?<=[\s"'=:(`])(?:\/|[A-Za-z]:\/)[\w./@+-]+/g)
  return [...found.map(([path]) => joinedPath(null, path) ?? '').take(MAX_NAMED)]
}
