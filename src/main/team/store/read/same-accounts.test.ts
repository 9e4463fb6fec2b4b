import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../../shared/time-units.ts'
import { sameAccounts, type AccountReading } from './same-accounts.ts'

const START = Date.parse('2026-11-20T08:00:00Z')

/** Readings of windows that end so many hours after the start. */
const seen = (account: string | null, device: string, windows: Readonly<Record<string, readonly number[]>>) =>
  Object.entries(windows).flatMap(([window, hours]) =>
    hours.map((hour): AccountReading => ({ account, device, window, resets_at: new Date(START + hour * HOUR_MS) })),
  )
const namesOf = (...readings: readonly (readonly AccountReading[])[]) => {
  const nameOf = sameAccounts(readings.flat())
  return readings.map(([first]) => nameOf(first?.account ?? null))
}

test('an account that two laptops use is one, whichever windows each of them saw', () => {
  const first = seen('b', 'one', { '5h': [5, 12], '7d': [100] })
  // Nine minutes later; then only the week is shared, then two windows of five hours.
  for (const other of [{ '5h': [5.15], '7d': [100] }, { '5h': [40], '7d': [100] }, { '5h': [5, 12, 17] }])
    expect(namesOf(first, seen('a', 'two', other))).toEqual(['a', 'a'])
  const three = [first, seen('a', 'two', { '7d': [100] }), seen('c', 'three', { '5h': [20], '7d': [100] })]
  expect(namesOf(...three)).toEqual(['a', 'a', 'a'])
})

test('accounts stay apart if a window differs, if too little is equal, and always on one laptop', () => {
  const first = seen('a', 'one', { '5h': [5, 12], '7d': [100] })
  const others = {
    'another week': { '5h': [5, 12], '7d': [101] },
    'an overlapping window': { '5h': [6], '7d': [100] },
    'one window of five hours, by chance': { '5h': [5] },
    'nothing in common': { '30d': [100] },
  }
  for (const [name, other] of Object.entries(others))
    expect(namesOf(first, seen('b', 'two', other)), name).toEqual(['a', 'b'])
  expect(namesOf(first, seen('b', 'one', { '5h': [5, 12], '7d': [100] }))).toEqual(['a', 'b'])
  expect(namesOf(first, seen(null, 'two', { '5h': [5, 12], '7d': [100] }))).toEqual(['a', null])
  // Which of two it is cannot be known.
  const same = { '5h': [5, 12], '7d': [100] }
  expect(namesOf(first, seen('b', 'one', same), seen('c', 'two', same))).toEqual(['a', 'b', 'c'])
})
