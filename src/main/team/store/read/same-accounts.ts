import { HOUR_MS, MINUTE_MS } from '../../../../shared/time-units.ts'

/** A reported limit, by what tells accounts apart. */
export interface AccountReading {
  /** Keyed hash; null: not known. */
  readonly account: string | null
  readonly device: string
  readonly window: string
  readonly resets_at: Date | null
}

/** Reset times that differ by less belong to the same window: they may be rounded. */
export const SAME_RESET_MS = 10 * MINUTE_MS
/** Two accounts may share one window of five hours by chance, as those of a team that begins its day together. */
const PROVEN_MS = 10 * HOUR_MS
/** Reset times are compared in steps, since some clients count them from now. */
const STEP_MS = 5 * MINUTE_MS

/**
 * Returns the hash by which each account of a member is known. A laptop hashes with a key of its own, so an account that
 * two laptops use has two hashes; its windows end at the same times on both. Accounts of one laptop are never joined.
 */
export function sameAccounts(readings: readonly AccountReading[]): (account: string | null) => string | null {
  const known: { readonly account: string; readonly of: AccountReading[] }[] = []
  const names = new Map<string, string>()
  const byAccount = Map.groupBy(readings, ({ account }) => account)
  for (const [account, of] of [...byAccount].toSorted(([one], [other]) => ((one ?? '') < (other ?? '') ? -1 : 1))) {
    if (account === null) continue
    const devices = new Set(of.map(({ device }) => device))
    const same = known.filter((one) => !one.of.some(({ device }) => devices.has(device)) && isSame(one.of, of))
    const [found] = same
    names.set(account, same.length === 1 && found !== undefined ? found.account : account)
    if (same.length === 1 && found !== undefined) found.of.push(...of)
    else known.push({ account, of: [...of] })
  }
  return (account) => (account === null ? null : (names.get(account) ?? account))
}

/** Windows of one account never overlap: each pair of resets is the same, or at least the window's length apart. */
function isSame(one: readonly AccountReading[], other: readonly AccountReading[]): boolean {
  let proven = 0
  for (const window of new Set(one.map((reading) => reading.window))) {
    const [ours, theirs] = [one, other].map((of) => resetsOf(of, window))
    const length = lengthOf(window)
    let counted = -Infinity
    for (const at of ours ?? [])
      for (const reset of theirs ?? []) {
        const apart = Math.abs(at - reset)
        if (apart > SAME_RESET_MS && apart < length - SAME_RESET_MS) return false
        if (apart > SAME_RESET_MS || at - counted <= 2 * SAME_RESET_MS) continue
        counted = at
        proven += length
      }
  }
  return proven >= PROVEN_MS
}

const resetsOf = (of: readonly AccountReading[], window: string): readonly number[] => {
  const resets = of.flatMap((one) => (one.window === window && one.resets_at !== null ? [one.resets_at.getTime()] : []))
  return [...new Set(resets.map((at) => Math.round(at / STEP_MS) * STEP_MS))].toSorted((a, b) => a - b)
}

/** Returns the length of a window by its name (`5h`, `7d_opus`) in ms. */
export function lengthOf(window: string): number {
  const [, count = '1', unit = 'd'] = /^(\d{1,3})([hd])/.exec(window) ?? []
  return Number(count) * (unit === 'h' ? HOUR_MS : 24 * HOUR_MS)
}
