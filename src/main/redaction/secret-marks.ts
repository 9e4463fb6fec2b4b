import { createKeyedHash } from '../base/keyed-hash.ts'
import type { Mark } from './redactor.ts'

/** Creates the marks that replace secrets, and the keyed hashes of identifiers. */
export interface SecretMarks {
  /** Returns the mark of a secret without counting it. */
  readonly markOf: Mark
  /** Returns the mark of a secret and counts a match of its rule. */
  readonly countedMark: Mark
  hash(text: string): string
  hashAccount(account: string): string
  counts(): { readonly [rule: string]: number }
}

/** Cached marks, so that a secret in every request costs one hash. */
const MAX_MARKS = 5_000

/** `hashKey` keys all marks and hashes: without it, nobody can test a guess against them. */
export function createSecretMarks(hashKey: Buffer): SecretMarks {
  const counts: { [rule: string]: number } = {}
  const digitsOf = new Map<string, string>()
  // Every draft names an account, nearly always the same one: hash it once.
  let lastAccount = { account: '', hash: '' }
  const hash = createKeyedHash(hashKey)

  function markOf(rule: string, secret: string): string {
    const known = digitsOf.get(secret)
    // Two rules may find the same secret: the digits depend on the secret alone.
    const digits = known ?? hash(`secret:${secret}`).slice(0, 4)
    if (known === undefined && secret.length < 1000) {
      if (digitsOf.size >= MAX_MARKS) digitsOf.clear()
      digitsOf.set(secret, digits)
    }
    return `[redacted:${rule}:${digits}]`
  }

  return {
    markOf,
    countedMark(rule, secret) {
      counts[rule] = (counts[rule] ?? 0) + 1
      return markOf(rule, secret)
    },
    hash,
    hashAccount(account) {
      if (account !== lastAccount.account) lastAccount = { account, hash: hash(`account:${account}`) }
      return lastAccount.hash
    },
    counts: () => ({ ...counts }),
  }
}
