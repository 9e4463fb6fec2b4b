import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom, type Random } from '../../../src/main/base/fixtures/random.ts'
import type { WatchedTrees } from '../../../src/main/file-watch/thread/watched-trees.ts'
import type { Seen } from '../../../src/main/file-watch/watch-protocol.ts'
import { ToldSession } from '../transcripts/told-session.ts'
import { CodexCaller, claudeCaller, type Caller } from './story-clients.ts'
import { linesOf } from './story-texts.ts'
import { PERSON, TrueFiles, type TrueFile } from './true-files.ts'

/** A file before a call deleted or overwrote it, all of which the record knows. */
export interface LostFile {
  readonly path: string
  readonly text: string
  /** The last call before. */
  readonly after: string
}

const BEGIN = Date.UTC(2026, 10, 20, 10)
/** A step of a story; false if it finds nothing to do. */
export type StoryStep = (story: Story) => boolean

/** What happens in a story, by who does it. */
export interface StorySteps {
  readonly tools: readonly StoryStep[]
  readonly commands: readonly StoryStep[]
  readonly patch: StoryStep
  readonly person: StoryStep
}

/**
 * Makes up a repository: sessions of two clients and an agent work on real files with real commands, and a person edits
 * between. It knows who wrote each line, and writes the transcripts that the clients would.
 */
export class Story {
  readonly random: Random
  readonly files: TrueFiles
  readonly size: number
  /** Files of which the record has all lines, and which no person changed since. */
  readonly known = new Set<string>()
  readonly lost: LostFile[] = []
  /** Looks at the disk around commands, and what it saw of each. */
  watch: WatchedTrees | null = null
  readonly seen: (Seen & { readonly call: string })[] = []
  head: ReadonlyMap<string, TrueFile> = new Map()
  #now = BEGIN
  #calls = 0
  #paths = 0
  #caller: Caller
  readonly #codex: CodexCaller
  readonly #sessions: readonly ToldSession[]

  readonly #steps: StorySteps

  constructor(root: string, seed: string, size: number, steps: StorySteps) {
    this.#steps = steps
    this.random = createRandom(seed)
    this.size = size
    this.files = new TrueFiles(root)
    const clock = () => (this.#now += 2000)
    this.#sessions = ['one', 'two'].map((name) => Object.assign(new ToldSession(`${name}-${size}`), { folder: root }))
    this.#codex = new CodexCaller('019c8b10-1111-7a01-8a01-00000000000f', root, clock)
    this.#caller = this.#codex
    writeFileSync(join(root, '.format.sh'), 'sed -i \'s/^  /    /\' "$1"\n')
    this.#git('init', '-q', '-b', 'main')
    writeFileSync(join(root, '.git', 'info', 'exclude'), '.format.sh\n')
    for (let count = 0; count < size / 2; count += 1) {
      const lines = [...linesOf(this.random, 4, 20), ...(this.random.chance(0.8) ? [''] : [])]
      const ending = this.random.chance(0.15) ? '\r\n' : '\n'
      const file = { lines: lines.map((text) => ({ text, by: [PERSON] })), ending } as const
      this.files.set(this.newPath() ?? '', file)
    }
    this.#git('add', '-A')
    this.#git('commit', '-qm', 'first')
    this.committed()
  }

  /** Tells that many steps. */
  tell(steps: number): void {
    for (let done = 0, tried = 0; done < steps && tried < steps * 20; tried += 1) {
      this.#now += 20_000
      if (this.random.chance(0.12)) done += Number(this.#steps.person(this))
      else if (this.random.chance(0.06)) done += this.#agent()
      else if (this.random.chance(0.1)) done += Number(this.#as(this.#codex, this.#steps.patch))
      else done += Number(this.#as(this.#claude(), this.#step()))
      this.files.check()
    }
  }

  /** Writes the transcripts, and returns where they are. */
  transcripts(folder: string): readonly string[] {
    const claude = join(folder, 'claude')
    mkdirSync(claude, { recursive: true })
    for (const session of this.#sessions) session.write(claude)
    return [claude, this.#codex.write(folder)]
  }

  call(id: string, tool: string, input: object, result: { output: string; isError?: boolean; detail?: object }): void {
    this.#caller.call(id, tool, input, result)
  }

  patch(id: string, lines: readonly string[]): true {
    const input = `${['*** Begin Patch', ...lines, '*** End Patch'].join('\n')}\n`
    this.call(id, 'apply_patch', { input }, { output: 'Success. Updated the following files:' })
    return true
  }

  /** Runs a command, and records it as the client does: without blank lines around its output. */
  bash(command: string): string {
    const id = this.nextId()
    this.#look('before', id)
    while (this.watch?.readMore() === true);
    const since = (this.#now += 1)
    const { stdout, stderr, status } = spawnSync('bash', ['-c', command], {
      cwd: this.files.root,
      env,
      encoding: 'utf8',
    })
    const seen = this.#look('after', id)
    if (seen !== null) this.seen.push({ ...seen, since, call: id })
    const output = [stdout.replace(/^(?:\s*\n)+/, '').trimEnd(), stderr.trim()].filter((part) => part !== '').join('\n')
    const detail = { stdout, stderr, interrupted: false, isImage: false }
    this.call(id, 'Bash', { command, description: 'some work' }, { output, isError: status !== 0, detail })
    return id
  }

  #look(at: 'before' | 'after', call: string): Seen | null {
    const look = { type: 'look', id: 0, at, call, folder: this.files.root, until: Date.now() + 60_000 } as const
    return this.watch?.look(look) ?? null
  }

  nextId(): string {
    this.#calls += 1
    return `toolu_${String(this.#calls).padStart(6, '0')}`
  }

  newPath(): string | null {
    this.#paths += 1
    return this.random.chance(0.2) ? `src/${this.#paths}.ts` : `file${this.#paths}.ts`
  }

  anyPath(): string | null {
    const paths = this.files.paths()
    return paths.length === 0 ? null : this.random.pick(paths)
  }

  absolute = (path: string): string => join(this.files.root, path)
  isCrlf = (path: string): boolean => this.files.get(path)?.ending === '\r\n'
  file = (path: string): TrueFile => this.files.get(path) ?? { lines: [], ending: '\n' }

  get hasCommit(): boolean {
    return this.head.size > 0
  }

  committed(): void {
    this.head = this.files.snapshot()
  }

  moveKnown(from: string, to: string): void {
    if (this.known.delete(from)) this.known.add(to)
  }

  /** Notes a file that the next call deletes or overwrites. */
  note(path: string): void {
    const after = `toolu_${String(this.#calls).padStart(6, '0')}`
    if (this.known.has(path)) this.lost.push({ path, text: readFileSync(this.absolute(path), 'utf8'), after })
    this.known.delete(path)
  }

  #step(): StoryStep {
    return this.random.pick(this.random.chance(0.7) ? this.#steps.tools : this.#steps.commands)
  }

  #claude(): Caller {
    return claudeCaller(this.random.pick(this.#sessions), () => (this.#now += 2000))
  }

  #as(caller: Caller, step: StoryStep): boolean {
    this.#caller = caller
    if (this.random.chance(0.3)) caller.prompt(`Please do number ${this.#calls}`)
    return step(this)
  }

  #agent(): number {
    let done = 0
    const session = this.random.pick(this.#sessions)
    session.now = this.#now += 2000
    const id = session.agent(`agent${this.#calls}`, 'Do some work', (agent) => {
      const caller = claudeCaller(agent, () => (this.#now += 2000))
      this.#caller = caller
      for (let count = 0; count < 3; count += 1) done += Number(this.#step()(this))
    })
    session.now = this.#now += 2000
    session.result(id, { output: 'Done.' })
    return done
  }

  /** True if another text of it than that of the last commit is to be committed: git brings that one back. */
  isStaged = (path: string): boolean => this.#run('diff', '--cached', '--quiet', '--', path).status !== 0

  #run = (...args: string[]) => spawnSync('git', args, { cwd: this.files.root, env, encoding: 'utf8' })

  #git(...args: string[]): void {
    const { status, stderr } = this.#run(...args)
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  }
}

/** True if there is something that is not committed. */
export const hasProgress = ({ files, head }: Story): boolean =>
  files.paths().join() !== [...head.keys()].sort().join() ||
  files.paths().some((path) => files.get(path) !== head.get(path))

const person_ = { NAME: 'A Person', EMAIL: 'person@example.com' }
const env = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: person_.NAME,
  GIT_AUTHOR_EMAIL: person_.EMAIL,
  GIT_COMMITTER_NAME: person_.NAME,
  GIT_COMMITTER_EMAIL: person_.EMAIL,
}
