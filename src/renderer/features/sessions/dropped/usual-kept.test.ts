import { expect, test } from 'vitest'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { usualKept } from './usual-kept.ts'

const kept = (kept: number, texts: number, summary = 'a summary') =>
  ({
    summary,
    texts,
    lost: { decision: 0, prompt: texts - kept, answer: 0, thought: 0 },
  }) as OperationOutput<'compactions.dropped'>

test('what a summary kept is compared with the median of three others at least', () => {
  const others = [kept(8, 10), kept(9, 10), kept(82, 100)]
  expect(usualKept(kept(3, 6), others)).toBe('It kept 50%, less than your usual 82%.')
  expect(usualKept(kept(1, 6), others)).toBe('It kept 17%, far less than your usual 82%.')
  expect(usualKept(kept(4, 5), others)).toBe('It kept 80%, about your usual 82%.')
  expect(usualKept(kept(3, 6), others.slice(1))).toBeNull()
})

test('nothing is compared where nothing was lost, nor with a summary that only the API can read', () => {
  const others = [kept(8, 10), kept(9, 10), kept(82, 100)]
  expect(usualKept(kept(6, 6), others)).toBeNull()
  expect(usualKept(kept(3, 6, ''), others)).toBeNull()
  expect(usualKept(kept(3, 6), [...others.slice(1), kept(8, 10, '')])).toBeNull()
})
