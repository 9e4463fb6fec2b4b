import { stem } from './stem.ts'

/** Names so close that either counts almost in full; one line a thing. */
const SAME = `
login, signin, auth, authentication, sso
password, credential, secret
kubernetes, k8s, cluster, pod
container, docker, image, dockerfile
ios, iphone, ipad
email, mail
company, firm, organization
picture, photo, image
thumbnail, preview
toggle, flag, switch
translation, i18n, localization
library, package, dependency
db, database
config, configuration, settings
repo, repository
bug, defect, issue
crash, panic
slow, latency, lag, laggy, performance
fast, quick, speed
memory, ram, heap
delete, remove, drop
test, spec
deploy, rollout, release
pipeline, ci, build
queue, backlog
throttle, ratelimit, limiter
websocket, socket, connection
log, audit, trail
error, failure, exception
refund, reimbursement
invoice, bill, billing, charge
dark, night
theme, palette, color, colour
font, typeface
phone, mobile
server, backend
frontend, ui, client
domain, host
certificate, cert, tls
decide, decision, choose, chose, chosen, pick
`

/**
 * Developers' vocabulary: names that people use for the same thing, one line a thing; a comma separates names, and a name may
 * have several words. Written by hand on 2026-11-22 from the terms of git, POSIX, HTTP, OAuth, CI services, container and
 * database manuals, as their glossaries use them side by side; the spellings are those of British and American English.
 * A name with a second meaning in the same work is left out: it does more harm than good. `npm run bench -- recall`
 * measures what the table gains.
 */
const VOCABULARY = `
login, signin, sign in, log in, auth, authentication, authenticate, sso
logout, signout, sign out, log out, logged out, signed out, kicked out
auth0, auth 0
password, passphrase, credential, secret
token, jwt, api key
permission, authorization, access right, privilege, role
kubernetes, k8s, cluster, pod
container, docker, dockerfile, image, podman
sandbox, container, isolation
ios, iphone, ipad
email, mail
screenshot, screen shot, image
thumbnail, preview
feature flag, toggle, flag, switch
translation, i18n, localization, localisation, locale
library, package, dependency, module
dependency, third party, requirement
db, database
nosql, mongo, mongodb
sql, query
config, configuration, settings, preferences, option
env, environment, environment variable
repo, repository
bug, defect, issue
crash, panic, segfault, abort
hang, freeze, stuck, deadlock, unresponsive
slow, latency, lag, laggy, sluggish, performance
fast, quick, speed
memory, ram, heap
out of memory, oom, 137
leak, memory leak
delete, remove, drop, rm, erase, discard, purge, wipe
test, spec, unit test
e2e, end to end
flaky, intermittent, nondeterministic, unstable, once in a while
mock, stub, fake
deploy, deployment, rollout, release, publish, ship
rollback, roll back, revert, undo, go back, restore
ci, pipeline, build, workflow, continuous integration, github actions
artifact, artefact, build output
compile, build, bundle
compiler, build tool, tsc
cron, schedule, scheduled, timer
queue, backlog, broker, message queue
throttle, rate limit, ratelimit, limiter, 429
retry, try again, again
timeout, time out, timed out
websocket, socket, connection
sse, server sent events, eventsource
webhook, callback
log, logging, audit trail
error, failure, exception, fail
refund, reimbursement
invoice, bill, billing, charge
dark, night
theme, palette, color, colour
font, typeface
phone, mobile
browser, chromium, playwright
server, backend
domain, host
certificate, cert, tls, ssl
decide, decision, choose, chose, chosen, pick, agreed
folder, directory, dir
rename, move, relocate
terminal, console, shell, tty, stdout
command line, cli
argument, parameter, arg, option, flag
function, method, helper
constant, hardcoded, literal
timezone, time zone, tz, utc
serialize, serialise, marshal, encode
deserialize, deserialise, parse, decode, unmarshal
initialize, initialise, init, bootstrap, startup
stop, kill, terminate, shut down, quit, exit
popup, modal, dialog, tooltip, overlay
sidebar, drawer, panel, pane
graph, chart, plot, visualization, visualisation, diagram
layout shift, cls, jump
docs, documentation, readme, guide, manual, md
comment, remark, feedback, note, annotation
review, audit, inspection
pull request, pr, merge request
merge, rebase, integrate
commit, revision, changeset
diff, difference, change, delta, patch
worktree, working tree
stash, shelve
staged, index, git add
undefined, missing, not found
null, nil
empty, blank, vacant
duplicate, twice, repeated, double
legacy, deprecated, old
unused, dead code, never used
cache, caching, memoize
index, indexing
migration, schema change, alter table
schema, table definition
backup, dump, snapshot
restore, recover
lock, mutex, semaphore
concurrent, parallel, simultaneous, race, at the same time
race condition, race, races
thread, worker
process, pid
port, listen
proxy, gateway
endpoint, route, url, path
header, metadata
payload, body
download, fetch
disk full, no space, enospc
storage, localstorage, persistence, disk
persist, save, store
encrypt, cipher, encryption
redact, mask, sanitize, scrub
hash, checksum, digest
random, uuid, unique
uuid, guid, id
license, licence
version, release
upgrade, update, bump
downgrade, older version
install, setup, set up
config file, settings file, dotfile
symlink, symbolic link, soft link
regex, regexp, regular expression, pattern
loop, infinite loop, endless, infinite, cycle, never stops
recursion, recursive, nested
circular, cycle, import cycle
complexity, nesting, nested, cyclomatic
refactor, restructure, cleanup, clean up, extract
split, separate, shard, sharding
approve, permission, confirm
skip, bypass, ignore
hide, hidden, invisible
vanish, disappear, lost, missing, gone, swallow
encoding, charset, utf8, utf 8, umlaut
csv, spreadsheet
json, jsonl
accessibility, a11y, keyboard
orchestration, orchestrator
observability, tracing, telemetry, opentelemetry, otel
trace, span
metric, measurement, statistic
session, conversation
subagent, sub agent, task tool, agent
transcript, session log, conversation
checkpoint, snapshot
attribution, authorship, wrote
human, person, user, people
handler, hook, callback
macro, metaprogramming
type check, type checker, dialyzer, tsc
static analysis, linter, lint, credo, eslint
vulnerability, cve, security hole
security, secure, vulnerability
ssh, remote
localhost, local
production, prod, live
staging, test environment
development, dev
apple silicon, arm64, m1
windows, win32
linux, ubuntu, debian
mac, macos, osx
todo app, task list
budget, quota, limit
owner, maintainer, maintains
freeze, code freeze
dst, daylight saving, clock change
large file, lfs, big file
untrack, git rm
bisect, find the commit
`

interface Name {
  readonly text: string
  readonly words: readonly string[]
}

/** Names that mean the same, by the stems of a name's words, joined by a blank. */
function tableOf(lines: string): Map<string, readonly string[]> {
  const table = new Map<string, readonly string[]>()
  for (const line of lines.trim().split('\n')) {
    const names = line.split(', ').map((text): Name => ({ text, words: text.split(' ') }))
    for (const name of names) {
      const key = keyOf(name.words)
      const others = names.filter((other) => keyOf(other.words) !== key).map(({ text }) => text)
      table.set(key, [...new Set([...(table.get(key) ?? []), ...others])])
    }
  }
  return table
}

const keyOf = (words: readonly string[]): string => words.map(stem).join(' ')

/** Built on the first search, so that starting the thread does not wait for them. */
let same: ReadonlyMap<string, readonly string[]> | null = null
let vocabulary: ReadonlyMap<string, readonly string[]> | null = null

/** Returns words that mean the same as a folded word. */
export function synonymsOf(word: string): readonly string[] {
  same ??= tableOf(SAME)
  return same.get(stem(word)) ?? []
}

/** Returns other names for a folded word, or for several in a row; those of several words are separated by blanks. */
export function otherNamesOf(...words: readonly string[]): readonly string[] {
  vocabulary ??= tableOf(VOCABULARY)
  return vocabulary.get(keyOf(words)) ?? []
}
