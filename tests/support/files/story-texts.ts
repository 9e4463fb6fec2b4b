import type { Random } from '../../../src/main/base/fixtures/random.ts'
import { unifiedDiff } from '../../../src/main/files/unified-diff.ts'

const WORDS = 'alpha beta cart order price total stock user token query cache retry shelf parcel invoice basket'.split(
  ' ',
)
const REPEATED = ['}', '', '  return null', '})', '  }', '# end', '    break', 'else {']

/** Returns a line: mostly one that is nowhere else, often one that is everywhere, rarely one with a secret. */
export function lineOf(random: Random): string {
  if (random.chance(0.3)) return random.pick(REPEATED)
  const indent = random.pick(['', '  ', '    ', '\t'])
  if (random.chance(0.02)) return `${indent}const key = "sk-ant-api03-${random.hex(80)}-${random.hex(8)}AA"`
  const word = () => random.pick(WORDS)
  return `${indent}const ${word()}${random.int(1, 9999)} = ${word()}(${word()}, ${random.int(1, 9999)})`
}

export function linesOf(random: Random, low: number, high: number): string[] {
  return Array.from({ length: random.int(low, high) }, () => lineOf(random))
}

/** Returns the lines in the form in which Claude Code shows a file. */
export const numbered = (lines: readonly string[], from = 1): string =>
  lines.map((line, at) => `${from + at}\t${line}`).join('\n')

/** Returns a change in the client's structured patch, which shows tabs at the beginning of a line as spaces. */
export function patchOf(before: string, after: string): readonly object[] {
  const hunks = unifiedDiff(before, after)
    .split(/^(?=@@ )/m)
    .filter((hunk) => hunk !== '')
  return hunks.map((hunk) => {
    const [head = '', ...lines] = hunk.replace(/\n$/, '').split('\n')
    const [oldStart, oldLines, newStart, newLines] = (head.match(/\d+/g) ?? []).map(Number)
    const shown = lines.map((line) => line.replace(/^(.)\t/, '$1  '))
    return { oldStart, oldLines, newStart, newLines, lines: shown }
  })
}
