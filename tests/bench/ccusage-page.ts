import { readFileSync, writeFileSync } from 'node:fs'
import type { Compared } from './ccusage-causes.ts'

const BEGIN = '<!-- ccusage: written by npm run bench -- ccusage -->'
const END = '<!-- ccusage: end -->'

/** Replaces the marked part of a page with the differences, a row each. */
export function writeComparison(path: string, compared: readonly Compared[]): void {
  const page = readFileSync(path, 'utf8')
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`${path} has no place for the comparison`)
  const different = compared.filter(({ cause }) => cause !== null)
  const rows = different.map(
    ({ folder, version, model, ours, theirs, cause }) =>
      `| ${folder} | ${version} | ${model} | ${ours.tokens - theirs.tokens} | ${dollars(ours.cost - theirs.cost)} | ${cause} |`,
  )
  const table = ['| folder | ccusage | model | tokens | cost | cause |', '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  )
  const equal = `${compared.length - different.length} of ${compared.length} rows (folder, version, model) are equal. `
  const sign = 'Differences are Aspy’s figure minus that of ccusage.'
  writeFileSync(path, `${before}${BEGIN}\n\n${equal}${sign}\n\n${table}\n\n${END}${after}`)
}

const dollars = (amount: number): string => `${amount < 0 ? '−' : ''}$${Math.abs(amount).toFixed(4)}`
