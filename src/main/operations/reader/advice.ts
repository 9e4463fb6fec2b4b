import { homedir } from 'node:os'
import { dirname } from 'node:path'
import type { Advice } from '../../../shared/contract/advice.ts'
import { mainFolderOf } from '../../../shared/folders.ts'
import { advise, Found, type Suggestion } from '../../advice/advise.ts'
import { readDecisions, type Decisions } from '../../advice/decisions.ts'
import { unlessRuled } from '../../advice/standing-rule.ts'
import { appliedFix, fixFiles, standingSetting } from '../../advice/settings-change.ts'
import { TRANSCRIPT_CLIENTS } from '../../decode/client/transcript-clients.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { AdviceSessions, costOfServer, evidenceEvents } from '../../store/read/advice-sessions.ts'
import type { Reader } from '../../store/read/reader.ts'

export const adviceList: ReaderHandler<'advice.list'> = (reader, { project, evidence }) => {
  const decisions = readDecisions(dirname(reader.archiveFolder))
  const found = suggestions(reader, decisions)
  const shown = found.filter(({ scope }) => project === undefined || scope.project === mainFolderOf(project))
  return { items: shown.flatMap((suggestion) => adviceOf(reader, suggestion, decisions, evidence) ?? []) }
}

/** What was last drawn from the record, and from which decisions. */
interface Kept {
  readonly sessions: AdviceSessions
  readonly candidates: Found
  decisions: string
  found: readonly Suggestion[]
}

function suggestions(reader: Reader, decisions: Decisions): readonly Suggestion[] {
  const kept = reader.cached<Kept>(
    'advice',
    () => Infinity,
    () => ({ sessions: new AdviceSessions(), candidates: new Found(), decisions: '', found: [] }),
  )
  const decided = JSON.stringify(decisions)
  if (!kept.sessions.update(reader) && kept.decisions === decided) return kept.found
  kept.found = advise(kept.candidates, kept.sessions.all(), (...of) => costOfServer(reader, ...of), decisions)
  kept.decisions = decided
  return kept.found
}

/** Returns null for what somebody has set already, and what did not happen since. */
function adviceOf(reader: Reader, { cases: all, last, fix, ...item }: Suggestion, decisions: Decisions, limit: number) {
  const shown = all.slice(0, limit)
  const events = evidenceEvents(
    reader,
    shown.map(({ event }) => event),
  )
  const cases = shown.flatMap(({ event, usd, minutes }) => {
    const found = events.get(event)
    return found === undefined ? [] : [{ ...found, usd, minutes }]
  })
  const evidence = cases.map(({ uuid }) => uuid)
  const { project } = item.scope
  const decided = decisions[item.id]
  if (fix !== null && decided?.state === 'applied')
    return { ...item, evidence, cases, fix: appliedFix(fix, decided.file) }
  const standing = fix === null || item.state !== 'open' ? null : standingSetting(project, fix, homesOfClients())
  if (standing === null) return { ...item, evidence, cases, fix: fix === null ? null : shownFix(project, fix) }
  if (last < standing.since) return null
  const steps = [`${standing.path} has this setting already.`, 'See whether the client reads that file, or remove it.']
  return {
    ...item,
    evidence,
    cases,
    fix: { title: `Set already, and it happens still: ${fix?.title}`, steps, files: [] },
  }
}

function shownFix(project: string | undefined, fix: NonNullable<Suggestion['fix']>): Advice['fix'] {
  const own = unlessRuled(project, fix, homesOfClients())
  const { files, note } = fixFiles(project, own)
  return { title: own.title, steps: [...own.steps, ...(note === null ? [] : [note])], files: [...files] }
}

/** The person's own rules are in the folders of the clients. */
const homesOfClients = (): readonly string[] => TRANSCRIPT_CLIENTS.flatMap(({ homes }) => homes(process.env, homedir()))
