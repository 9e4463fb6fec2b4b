import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'

const FILE = join(import.meta.dirname, '../../../.github/workflows/release.yml')

/** A step of a workflow. */
export interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  readonly [key: string]: unknown
}

/** A job of a workflow. */
export interface Job {
  readonly if?: string
  readonly needs?: string | readonly string[]
  readonly 'runs-on': string
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: {
    readonly matrix: {
      readonly os?: readonly string[]
      readonly include?: readonly { readonly os: string; readonly targets: string }[]
    }
  }
  readonly steps: readonly Step[]
}

/** The part of a workflow that is read here. */
export interface Workflow {
  readonly on: { readonly push: { readonly tags: readonly string[]; readonly paths: readonly string[] } }
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

export const workflowText = readFileSync(FILE, 'utf8')

export const readWorkflow = (text = workflowText): Workflow => parse(text) as Workflow

/** What GitHub gives to a job. */
export interface Runner {
  /** Folder in place of the checkout. */
  readonly workspace: string
  /** Folder of the artifacts that jobs hand to each other. */
  readonly artifacts: string
  readonly env: Readonly<Record<string, string>>
  /** Values by context: `secrets`, `github`, `matrix`, `runner`. As on GitHub, what is not there is empty. */
  readonly contexts: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Steps that this machine has done already. */
  readonly done?: readonly string[]
}

/** Runs the steps of a job in turn. Returns false if its condition does not hold; throws at the first step that fails. */
export async function runJob(workflow: Workflow, name: string, runner: Runner): Promise<boolean> {
  const job = workflow.jobs[name]
  if (job === undefined) throw new Error(`the workflow has no job ${name}`)
  if (job.if !== undefined && !holds(job.if, runner)) return false
  for (const step of job.steps) {
    if (step.run !== undefined) await runCommand(step, step.run, runner)
    else await runAction(step, runner)
  }
  return true
}

async function runCommand(step: Step, command: string, runner: Runner): Promise<void> {
  if (runner.done?.includes(command) === true) return
  const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value, runner)]))
  // As GitHub does on Linux and macOS.
  await promisify(execFile)('bash', ['-e', '-c', filled(command, runner)], {
    cwd: runner.workspace,
    env: { ...runner.env, ...env },
    maxBuffer: 64 << 20,
  })
}

async function runAction({ uses = '', with: given = {} }: Step, runner: Runner): Promise<void> {
  const value = (name: string) => filled(given[name] ?? '', runner)
  const found = (patterns: string) => {
    const files = globSync(patterns.trim().split('\n'), { cwd: runner.workspace })
    if (files.length === 0) throw new Error(`${uses}: no file is at ${patterns}`)
    return files
  }
  const [action = ''] = uses.split('@')
  switch (action) {
    case 'actions/checkout':
    case 'actions/setup-node':
      return
    case 'actions/attest-build-provenance':
      return void found(value('subject-path'))
    case 'actions/upload-artifact': {
      const folder = join(runner.artifacts, value('name'))
      mkdirSync(folder, { recursive: true })
      for (const file of found(value('path'))) cpSync(join(runner.workspace, file), join(folder, basename(file)))
      return
    }
    case 'actions/download-artifact': {
      const names = given['name'] === undefined ? readdirSync(runner.artifacts) : [value('name')]
      for (const name of names) {
        cpSync(join(runner.artifacts, name), join(runner.workspace, value('path')), { recursive: true })
      }
      return
    }
    default:
      throw new Error(`the rehearsal does not know ${uses}`)
  }
}

/** Puts values in place of `${{ context.name }}`. Throws on any other expression. */
function filled(text: string, { contexts }: Runner): string {
  return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_whole, expression: string) => {
    const [, context = '', name = ''] = /^(\w+)\.(\w+)$/.exec(expression) ?? []
    const values = contexts[context]
    if (values === undefined) throw new Error(`the rehearsal cannot evaluate ${expression}`)
    return values[name] ?? ''
  })
}

const holds = (condition: string, runner: Runner): boolean =>
  condition.split(' && ').every((part) => {
    const [, term = '', wanted] = /^(\w+\.\w+) == '(.*)'$/.exec(part) ?? []
    return filled(`\${{ ${term} }}`, runner) === wanted
  })
