import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ToldSession } from '../transcripts/told-session.ts'
import { CodexCaller } from './story-clients.ts'
import { numbered, patchOf } from './story-texts.ts'

/** Formats as tools of that kind do: other spaces, and a sign at the end of each statement. */
const FORMATTER = `#!/bin/sh
for file; do case "$file" in *.*) sed -i -e 's/^  /    /' -e 's/^\\( *const .*[^;]\\)$/\\1;/' "$file";; esac; done
`
const FORMATTERS = 'npx black gofmt rustfmt eslint ruff'.split(' ')

const BEGIN = Date.UTC(2026, 10, 20, 10)

/** Somebody who makes tool calls on real files: a session of Claude Code, or an agent of one. */
export class Actor {
  readonly #scene: Scene
  readonly told: ToldSession
  /** The name by which its calls know the folder of the scene. */
  as: string

  constructor(scene: Scene, told: ToldSession) {
    this.#scene = scene
    this.told = told
    this.as = told.folder
  }

  path = (name: string): string => (name.startsWith('/') ? name : join(this.as, name))

  prompt(text: string): this {
    this.told.now = this.#scene.next()
    this.told.prompt(text)
    return this
  }

  write(label: string, name: string, content: string): this {
    const filePath = this.path(name)
    const before = existsSync(filePath) ? readFileSync(filePath, 'utf8') : null
    mkdirSync(dirname(filePath), { recursive: true })
    writeFileSync(filePath, before?.includes('\r\n') === true ? content.replaceAll('\n', '\r\n') : content)
    const structuredPatch = before === null ? [] : patchOf(before.replaceAll('\r\n', '\n'), content)
    const detail = { type: before === null ? 'create' : 'update', filePath, content, structuredPatch }
    const output =
      before === null ? `File created successfully at: ${filePath}` : `The file ${filePath} has been updated.`
    return this.#call(label, 'Write', { file_path: filePath, content }, { output, detail })
  }

  edit(label: string, name: string, oldString: string, newString: string, replaceAll = false): this {
    const filePath = this.path(name)
    const real = existsSync(filePath) ? readFileSync(filePath, 'utf8') : ''
    const before = real.replaceAll('\r\n', '\n')
    const put = () => newString
    const after =
      oldString === '' ? newString : replaceAll ? before.replaceAll(oldString, put) : before.replace(oldString, put)
    if (oldString !== '' && after === before) throw new Error(`${name} has no ${oldString}`)
    writeFileSync(filePath, real.includes('\r\n') ? after.replaceAll('\n', '\r\n') : after)
    const structuredPatch = patchOf(before, after)
    const detail = { filePath, oldString, newString, replaceAll, structuredPatch, userModified: false }
    const input = { file_path: filePath, old_string: oldString, new_string: newString, replace_all: replaceAll }
    return this.#call(label, 'Edit', input, { output: `The file ${filePath} has been updated.`, detail })
  }

  read(label: string, name: string, from = 1, count = Infinity): this {
    const filePath = this.path(name)
    const all = readFileSync(filePath, 'utf8').replaceAll('\r\n', '\n').split('\n')
    const lines = all.slice(from - 1, from - 1 + count)
    const file = { filePath, numLines: lines.length, startLine: from, totalLines: all.length }
    const part = count === Infinity ? {} : { offset: from, limit: count }
    const output = numbered(lines, from)
    return this.#call(label, 'Read', { file_path: filePath, ...part }, { output, detail: { type: 'text', file } })
  }

  bash(label: string, command: string, more: object = {}): this {
    const { stdout, stderr, status } = this.#scene.run(command, this.told.folder)
    const output = [stdout.replace(/^(?:\s*\n)+/, '').trimEnd(), stderr.trim()].filter((part) => part !== '').join('\n')
    const detail = { stdout, stderr, interrupted: false, isImage: false }
    return this.#call(label, 'Bash', { command, ...more }, { output, isError: status !== 0, detail })
  }

  /** Runs any other tool, of which the caller says what it did. */
  call(label: string, tool: string, input: object, output = 'done', detail?: object): this {
    return this.#call(label, tool, input, { output, ...(detail === undefined ? {} : { detail }) })
  }

  #call(label: string, tool: string, input: object, result: Result): this {
    return this.asked(label, tool, input).answered(label, result)
  }

  asked(label: string, tool: string, input: object): this {
    this.told.now = this.#scene.next()
    this.told.tool(tool, input, null, this.#scene.idOf(label))
    return this
  }

  answered(label: string, result: Result): this {
    this.told.now = this.#scene.next()
    this.told.result(this.#scene.idOf(label), result)
    return this
  }

  /** Ends the turn. */
  answer(text: string): this {
    this.told.now = this.#scene.next()
    this.told.answer(text)
    return this
  }
}

interface Result {
  readonly output: string
  readonly isError?: boolean
  readonly detail?: object
}

/** A folder in which several people and agents work on the same files, told step by step. */
export class Scene {
  readonly root: string
  readonly name: string
  readonly bin: string
  readonly sessions: ToldSession[] = []
  readonly rollouts: CodexCaller[] = []
  readonly #forks: { readonly from: ToldSession; readonly until: string; readonly to: ToldSession }[] = []
  readonly #number: number
  #now: number

  constructor(name: string, root: string, bin: string, number: number) {
    this.name = name
    this.#number = number
    this.root = root
    this.bin = bin
    this.#now = BEGIN + number * 10_000_000
    mkdirSync(root, { recursive: true })
  }

  next = (): number => (this.#now += 2000)
  idOf = (label: string): string => `toolu_${this.name}_${label}`

  session(label: string, folder = this.root): Actor {
    const told = Object.assign(new ToldSession(`${this.name}-${label}`), { folder })
    this.sessions.push(told)
    told.now = this.next()
    told.prompt(`work of ${label}`)
    return new Actor(this, told)
  }

  /** Begins a session with a copy of another one so far, as the client's fork does. */
  fork(of: Actor, label: string): Actor {
    const told = Object.assign(new ToldSession(`${this.name}-${label}`), { folder: of.told.folder })
    this.#forks.push({ from: of.told, until: of.told.last, to: told })
    this.sessions.push(told)
    told.now = this.next()
    told.prompt(`work of ${label}`)
    return new Actor(this, told)
  }

  /** Runs an agent of a session from beginning to end. */
  agent(of: Actor, label: string, steps: (agent: Actor) => void): void {
    of.told.now = this.next()
    const id = of.told.agent(label, `Work of ${label}`, (told) => steps(new Actor(this, told)))
    of.told.now = this.next()
    of.told.result(id, { output: 'Done.' })
  }

  codex(folder = this.root): CodexCaller {
    const id = `019c8b10-1111-7a01-8a01-${String(this.#number).padStart(12, '0')}`
    const caller = new CodexCaller(id, folder, this.next)
    this.rollouts.push(caller)
    caller.prompt('work of codex')
    return caller
  }

  /** A person's editor: nothing of it is recorded. */
  person(name: string, text: string): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true })
    writeFileSync(join(this.root, name), text)
  }

  /** Writes what the clients would; returns the paths of the rollouts. */
  transcripts(claude: string, home: string): readonly string[] {
    for (const session of this.sessions) session.write(claude)
    for (const { from, until, to } of this.#forks) {
      const [original, own] = [from, to].map(({ id }) => readFileSync(join(claude, `${id}.jsonl`), 'utf8'))
      const [before = ''] = original?.split(`"uuid":"${until}"`) ?? []
      const copied = `${original?.slice(0, (original.indexOf('\n', before.length) ?? 0) + 1)}`
      const lines = copied.replaceAll(`"sessionId":"${from.id}"`, `"sessionId":"${to.id}"`)
      writeFileSync(
        join(claude, `${to.id}.jsonl`),
        `${lines}${own?.replace('"parentUuid":null', `"parentUuid":"${until}"`)}`,
      )
    }
    return this.rollouts.map((rollout) => rollout.write(join(home, this.name)))
  }

  text = (name: string): string => readFileSync(join(this.root, name), 'utf8')

  run(command: string, folder = this.root) {
    const PATH = `${this.bin}:${process.env['PATH']}`
    const git = { GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' }
    const env = { PATH, HOME: '/nonexistent', ...git, GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' }
    return spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' })
  }
}

/** Makes a folder of programs that format files. */
export function writeFormatters(bin: string): void {
  mkdirSync(bin, { recursive: true })
  for (const name of FORMATTERS) {
    writeFileSync(join(bin, name), FORMATTER)
    chmodSync(join(bin, name), 0o755)
  }
}

/** What somebody does: who, what, and how. An agent does what is in its own list while it works. */
type Step = readonly [who: string, what: string, ...how: readonly (string & Result & readonly Step[])[]]

/**
 * A scene by its name, and who is to be named for each line of its files: the label of a call, `seen`, or `?`. A line that
 * says who wrote it is never somebody else's. `{a1 2}` is such a line, `{root}` the folder of the scene.
 */
type Row = readonly [name: string, steps: readonly Step[], files: Readonly<Record<string, string>>]

const ROWS = readFileSync(new URL('scenes.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
export const SCENES = ROWS.map((row) => (JSON.parse(row) as Row)[0])

/** Tells all scenes below a folder, each in one of its own. */
export function tellScenes(root: string, bin: string): readonly { readonly scene: Scene; readonly files: Row[2] }[] {
  return ROWS.map((row, at) => {
    const name = SCENES[at] ?? raise(row)
    const scene = new Scene(name, join(root, name), bin, at)
    const filled = row
      .replaceAll('{root}', scene.root)
      .replaceAll(/\{(\w+) (\d)\}/g, (_, label: string, number: string) => line(label, Number(number)))
    const [, steps, files] = JSON.parse(filled) as Row
    tell(scene, steps)
    return { scene, files }
  })
}

function tell(scene: Scene, steps: readonly Step[], actors = new Map<string, Actor>()): void {
  const own = (name = ''): Actor => actors.get(name) ?? raise(name)
  for (const [who, what, ...how] of steps) {
    const [first = '', second = '', inner] = how
    if (what === 'session') actors.set(first, scene.session(first, how[1]))
    else if (what === 'fork') actors.set(second, scene.fork(own(first), second))
    else if (what === 'agent')
      scene.agent(own(first), second, (agent) => tell(scene, inner ?? [], actors.set(second, agent)))
    else if (what === 'codex') scene.codex()
    else {
      const doer: object = who === 'scene' ? scene : who === 'codex' ? (scene.rollouts.at(-1) ?? raise(who)) : own(who)
      const does = (doer as Readonly<Record<string, (...how: readonly unknown[]) => unknown>>)[what] ?? raise(what)
      does.call(doer, ...(who === 'codex' ? [scene.idOf(first), ...how.slice(1)] : how))
    }
  }
}

function raise(name: string): never {
  throw new Error(`no scene has ${name}`)
}

/** Returns a line that says by its end which call wrote it; `p`: a person did. */
export const line = (label: string, number = 1): string =>
  `const ${'abcdefghi'[number]}${number} = call_${number}(${number}${number}) // @${label}`

/** Returns a text of lines that a newline ends. */
export const lines = (...of: string[]): string => `${of.join('\n')}\n`
