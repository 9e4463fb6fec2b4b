import { execFileSync } from 'node:child_process'

/**
 * Checks the messages of all commits after BASE: `scope: imperative subject`, at most 72 characters, no full stop, an
 * empty line before the body, body lines of at most 100 characters. Prints each breach and exits with 1 if there is one.
 */
const BASE = 'c15d651cb2e60824c9cb723dadd556991ded520b'
const SUBJECT = /^[a-z][a-z0-9-]*(?:, [a-z][a-z0-9-]*)*: [^\s].*[^.\s]$/

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

function breachesOf(message: string): readonly string[] {
  const [subject = '', separator, ...body] = message.trimEnd().split('\n')
  return [
    ...(SUBJECT.test(subject) ? [] : ['the subject is not "scope: imperative subject"']),
    ...(subject.length <= 72 ? [] : [`the subject has ${subject.length} characters, not 72 at most`]),
    ...(separator === undefined || separator === '' ? [] : ['the line after the subject is not empty']),
    ...(body.every((line) => line.length <= 100) ? [] : ['a line of the body has more than 100 characters']),
  ]
}

function commitsSinceBase(): readonly string[] {
  try {
    git('merge-base', '--is-ancestor', BASE, 'HEAD')
  } catch {
    console.error(`The history does not reach ${BASE}: run git fetch --unshallow, then try again.`)
    process.exit(1)
  }
  return git('rev-list', '--no-merges', `${BASE}..HEAD`).split('\n').filter(Boolean)
}

const breaches = commitsSinceBase().flatMap((commit) => {
  const message = git('show', '-s', '--format=%B', commit)
  return breachesOf(message).map((breach) => `${commit.slice(0, 9)} ${message.split('\n')[0]}: ${breach}`)
})
for (const breach of breaches) console.error(breach)
process.exitCode = breaches.length === 0 ? 0 : 1
