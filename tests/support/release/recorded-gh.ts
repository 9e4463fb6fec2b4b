import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What GitHub has of a release. */
export interface RecordedRelease {
  readonly isDraft: boolean
  readonly files: readonly string[]
  readonly notes: string
}

/** A `gh` that keeps releases in a file instead of asking GitHub. */
export interface RecordedGh {
  /** The commands of all calls, such as `release create v1.2.3`. */
  calls(): readonly string[]
  release(): RecordedRelease | null
  /** Fails every call from now on whose command begins with this; null: none. */
  failAt(command: string | null): void
}

/** Writes a program `gh` into a folder. It asks for a token as the real one does. */
export function recordGh(folder: string): RecordedGh {
  const program = join(folder, 'gh')
  const state = join(folder, 'gh-release.json')
  const calls = join(folder, 'gh-calls')
  const fault = join(folder, 'gh-fault')
  writeFileSync(calls, '')
  writeFileSync(fault, '')
  writeFileSync(
    program,
    `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs')
const { basename } = require('node:path')
const [state, calls, fault] = ${JSON.stringify([state, calls, fault])}
const [, verb, tag, ...args] = process.argv.slice(2)
const fail = (text) => { console.error(text); process.exit(1) }
const command = ['release', verb, tag].join(' ')
appendFileSync(calls, command + '\\n')
if (!process.env.GH_TOKEN) fail('gh: set the GH_TOKEN environment variable')
const failing = readFileSync(fault, 'utf8')
if (failing !== '' && command.startsWith(failing)) fail('HTTP 502: Bad Gateway')
const was = existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')) : null
const keep = (release) => writeFileSync(state, JSON.stringify(release))
const option = (name) => args[args.indexOf(name) + 1]
if (option('--repo') !== process.env.GITHUB_REPOSITORY) fail('gh: which repository?')
if (verb === 'create' && was !== null) fail('a release with the same tag name already exists: ' + tag)
if (verb !== 'create' && was === null) fail('release not found')
if (verb === 'view') console.log(was.isDraft)
if (verb === 'create') {
  keep({ isDraft: args.includes('--draft'), files: [], notes: readFileSync(option('--notes-file'), 'utf8') })
}
if (verb === 'upload') {
  const files = args.filter((arg) => existsSync(arg)).map((arg) => basename(arg))
  if (!args.includes('--clobber') && files.some((file) => was.files.includes(file))) fail('asset already exists')
  keep({ ...was, files: [...new Set([...was.files, ...files])].sort() })
}
if (verb === 'edit') keep({ ...was, isDraft: !args.includes('--draft=false') })
`,
  )
  chmodSync(program, 0o755)
  return {
    calls: () => readFileSync(calls, 'utf8').trim().split('\n'),
    release: () => (existsSync(state) ? (JSON.parse(readFileSync(state, 'utf8')) as RecordedRelease) : null),
    failAt: (command) => writeFileSync(fault, command ?? ''),
  }
}
