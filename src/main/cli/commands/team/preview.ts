import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { AspyError } from '../../../../shared/contract/errors.ts'
import { withTypedHere } from '../../../base/folder-of-run.ts'
import { createGlob } from '../../../pipeline/processors/glob.ts'
import { sessionsByProject } from '../../../store/read/changes.ts'
import { readMembership } from '../../../team/device/membership-file.ts'
import { BatchItems } from '../../../sinks/team/batch-items.ts'
import { nextBatch, type NextBatch } from '../../../sinks/team/next-batch.ts'
import { createTeamClient } from '../../../team/device/team-client.ts'
import { stillShared } from '../../../sinks/team/still-shared.ts'
import { MAX_BATCH_EVENTS } from '../../../team/protocol/batch.ts'
import { createKeyedIds } from '../../../team/protocol/keyed-ids.ts'
import { createPolicy } from '../../../team/protocol/team-policy.ts'
import type { JsonFlag } from '../../flags.ts'
import type { RunSettings } from '../../settings-of-run.ts'
import { print, printAll } from '../../print-all.ts'
import { openDeviceFile } from './device-file.ts'
import { counted, plain, table } from '../../table.ts'

/** The policy for each project, and its name in the team. */
export type Preview = ReturnType<typeof previewOf>

/** Reads the sessions of this device and applies `[team]`. Sends nothing. */
export function previewOf(settings: RunSettings) {
  const { team } = settings.loaded.config
  const { policyOf } = partsOf(settings)
  using file = openDeviceFile(settings)
  const found = sessionsByProject(file.reader(), team.exclude)
  return {
    policy: team.policy,
    excluded: team.exclude,
    projects: found.map((row) => ({ ...row, ...policyOf(null, row.project) })),
  }
}

/** Content that other members can still read although it is no longer shared, by project, or why that is not known. */
interface StillRead {
  /** null: unknown, or this device joined no team. */
  readonly still_shared: readonly { readonly project: string | null; readonly sessions: number }[] | null
  readonly still_shared_unknown: string | null
}

/** Asks the team's server. Until the app runs, nothing is withdrawn. */
async function stillRead(settings: RunSettings): Promise<StillRead> {
  const membership = existsSync(settings.dataDir) ? readMembership(settings.dataDir) : null
  if (membership === null) return { still_shared: null, still_shared_unknown: null }
  const client = createTeamClient(membership)
  const { ids, policyOf } = partsOf(settings)
  using file = openDeviceFile(settings)
  try {
    if (!(await client.target()).can_unshare)
      throw new AspyError('unsupported', "the team's server runs an older version")
    const sessions = stillShared(file.reader(), await client.shared(), ids, policyOf)
    const byProject = [...Map.groupBy(sessions, ({ project }) => project)]
    return {
      still_shared: byProject.map(([project, found]) => ({ project, sessions: found.length })),
      still_shared_unknown: null,
    }
  } catch (error) {
    if (!(error instanceof AspyError)) throw error
    return { still_shared: null, still_shared_unknown: error.message }
  }
}

/** Returns the lines of this warning; none if there is nothing to report. */
function stillReadLines({ still_shared: still, still_shared_unknown: unknown }: StillRead): readonly string[] {
  if (unknown !== null) return ['', `It is not known what other members can read: ${plain(unknown)}`]
  if (still === null || still.length === 0) return []
  const sessions = still.reduce((sum, one) => sum + one.sessions, 0)
  return [
    '',
    `Other members still read ${counted(sessions, 'session')} that ${sessions === 1 ? 'is' : 'are'} not shared any more, of:`,
    ...still.map(({ project }) => `  ${plain(project ?? '(none)')}`),
    'Aspy withdraws them within seconds while it runs: start it with aspy',
  ]
}

/** Returns the batches that would be sent to a team that has nothing yet, without the fields that name the team. */
export function* previewBatches(settings: RunSettings): Generator<NextBatch['content']> {
  const { ids, policyOf } = partsOf(settings)
  using file = openDeviceFile(settings)
  const items = new BatchItems(ids, policyOf)
  const options = { items, limit: MAX_BATCH_EVENTS }
  const reader = file.reader()
  for (let next = nextBatch(reader, 0, options); next !== null; next = nextBatch(reader, next.upTo, options))
    yield next.content
}

function partsOf({ dataDir, loaded }: RunSettings) {
  const key = existsSync(dataDir) ? (readMembership(dataDir)?.hash_key ?? '') : ''
  // Before the first join there is no key: keyed hashes of names are made with a fixed key instead.
  const ids = createKeyedIds(Buffer.from(key === '' ? 'preview' : key, key === '' ? 'utf8' : 'base64'))
  return { ids, policyOf: createPolicy(loaded.config.team, createGlob, ids) }
}

const COLUMNS =
  'keyed ids, kind, times, durations, model, tokens, cost, cache misses, limits, tool names, outcomes, and the name of the project'

export function previewText({ projects, excluded }: Preview): string {
  const rows = table(projects, {
    columns: {
      project: { name: 'Project', of: (row) => row.project ?? '(none)' },
      policy: { name: 'Policy' },
      name: { name: 'Name in the team', of: (row) => (row.policy === 'off' ? null : row.name), max: 40 },
      shared: { name: 'Shared', of: (row) => (row.shared ? 'yes' : 'no') },
      sessions: { name: 'Sessions', format: 'count' },
      events: { name: 'Events', format: 'count' },
      cost_usd: { name: 'Cost', format: 'money' },
    },
  })
  const first = projects.find(({ project }) => project !== null)?.project
  return [
    projects.length === 0 ? 'Nothing is recorded yet.' : rows,
    '',
    `metadata  ${COLUMNS}: no texts, titles, paths, branches or error messages`,
    'full      also prompts, thinking, answers, tool inputs and outputs, after redaction; no bodies of requests',
    ...(excluded.length === 0 ? [] : [`Left out: ${counted(excluded.length, 'session')}`]),
    'Change this under [team] in the config, for example:',
    `  projects = [{ project = "${plain(first ?? '/home/me/work/shop')}", policy = "full", name = "${plain(basename(first ?? 'shop'))}" }]`,
    'Leave a session out with: aspy team exclude ID',
    'See every batch as it would be sent: aspy team preview --batches',
  ].join('\n')
}

/** `aspy team preview`. */
export async function preview(
  settings: RunSettings,
  { json: asJson = false, batches = false }: JsonFlag & { readonly batches?: boolean },
): Promise<void> {
  if (batches) return printAll(linesOf(previewBatches(settings)))
  const [found, still] = [previewOf(settings), await stillRead(settings)]
  const text = [withTypedHere(previewText(found)), ...stillReadLines(still)].join('\n')
  print({ json: { ...found, ...still }, text }, asJson)
}

function* linesOf(batches: Iterable<object>): Generator<string> {
  for (const batch of batches) yield `${JSON.stringify(batch)}\n`
}
