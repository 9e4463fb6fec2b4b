import { createHash } from 'node:crypto'
import { globSync } from 'node:fs'
import { sep } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'

/** A small change of a source. */
export interface Mutant {
  /** Path from the root of the repository. */
  readonly file: string
  readonly line: number
  /** Characters of the file that are replaced. */
  readonly start: number
  readonly end: number
  readonly to: string
  readonly kind: string
}

/** One of a sample. Its id depends on the seed and stays the same as long as its text and that of its likes do. */
export interface DrawnMutant extends Mutant {
  readonly id: string
}

const nothing = () => undefined
const no = () => false
const SILENT = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
}

/** Returns the sources of a folder, without tests and their fixtures. */
export function sourcesIn(root: string, folder: string): readonly string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !/\.test\.ts$|\/fixtures\//.test(path))
    .toSorted()
}

/** Returns every mutant that Stryker knows of these files. */
export async function mutantsOf(files: readonly { readonly path: string; readonly text: string }[]): Promise<Mutant[]> {
  const instrumenter = new Instrumenter(SILENT)
  const { mutants } = await instrumenter.instrument(
    files.map(({ path, text }) => ({ name: path, mutate: true, content: text })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  )
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  return mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(({ fileName, location: { start, end }, replacement, mutatorName }) => {
      const text = texts.get(fileName) ?? ''
      return {
        file: fileName,
        line: start.line + 1,
        start: offsetOf(text, start),
        end: offsetOf(text, end),
        to: replacement,
        kind: mutatorName,
      }
    })
}

/** Draws `count` mutants. The same seed draws the same ones, as far as their lines are unchanged. */
export function draw(
  mutants: readonly Mutant[],
  texts: ReadonlyMap<string, string>,
  count: number,
  seed: string,
): DrawnMutant[] {
  const seen = new Map<string, number>()
  const drawn = mutants.map((mutant) => {
    const { file, start, end, to, kind } = mutant
    const what = [seed, file, kind, texts.get(file)?.slice(start, end), to].join('\0')
    const again = (seen.get(what) ?? 0) + 1
    seen.set(what, again)
    return { ...mutant, id: createHash('sha256').update(`${what}\0${again}`).digest('hex') }
  })
  return drawn.toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, count)
}

export function withMutant({ start, end, to }: Mutant, text: string): string {
  return text.slice(0, start) + to + text.slice(end)
}

function offsetOf(text: string, { line, column }: { readonly line: number; readonly column: number }): number {
  let at = 0
  for (let left = line; left > 0; left -= 1) at = text.indexOf('\n', at) + 1
  return at + column
}
