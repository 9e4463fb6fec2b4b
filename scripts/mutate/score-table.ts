import { wilson } from './wilson.ts'

export interface Score {
  readonly folder: string
  readonly mutants: number
  /** Part of the sample, but not tried. */
  readonly equivalent: number
  readonly tried: number
  /** Before tests were written for those that survived. */
  readonly killedAtFirst: number
  readonly killed: number
  readonly seed: string
  readonly at: Date
}

const HEAD = '| folder | mutants | equivalent | tried | killed at first | killed now | seed | date |'

/** Returns the page with a row for this folder in its table, in place of an earlier one with the same seed. */
export function withScore(page: string, score: Score): string {
  const lines = page.split('\n')
  const head = lines.indexOf(HEAD)
  if (head < 0) throw new Error('docs/mutation.md has no table of scores')
  const from = head + 2
  let to = from
  while (lines[to]?.startsWith('|') === true) to += 1
  const isOld = (row: string) => cellsOf(row)[0] === `\`${score.folder}\`` && cellsOf(row)[6] === score.seed
  const rows = [...lines.slice(from, to).filter((row) => !isOld(row)), rowOf(score)]
  return [...lines.slice(0, from), ...rows.toSorted(), ...lines.slice(to)].join('\n')
}

const cellsOf = (row: string): readonly string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

function rowOf({ folder, mutants, equivalent, tried, killedAtFirst, killed, seed, at }: Score): string {
  const percent = (share: number) => Math.round(share * 100)
  const share = (hits: number) => {
    const [low, high] = wilson(hits, tried)
    return `${hits}: ${percent(hits / tried)} % (${percent(low)} – ${percent(high)} %)`
  }
  const cells = [
    `\`${folder}\``,
    mutants,
    equivalent,
    tried,
    share(killedAtFirst),
    share(killed),
    seed,
    at.toISOString().slice(0, 10),
  ]
  return `| ${cells.join(' | ')} |`
}
