import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { formatUsd } from '../../../shared/usd.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { FILE_RESTORED } from '../../../shared/own-deed.ts'
import { checkAnswers } from '../../files/dead-mounts.ts'
import { EarlierForms } from '../../files/earlier-forms.ts'
import { fileHistory, stepsOf } from '../../files/file-history.ts'
import { NOTHING_KNOWN } from '../../files/file-state.ts'
import { gitPatch } from '../../files/git-patch.ts'
import { joinedPath } from '../../files/joined-path.ts'
import { linkedFolders, otherNames } from '../../files/other-names.ts'
import { changedPaths, lineCount, sessionChange, textOf, type SessionChange } from '../../files/session-change.ts'
import { fenceLines } from '../../recall/pack.ts'
import { causesOf, NO_CAUSE } from '../../store/read/call-causes.ts'
import { callsOfSession, fileCalls, projectsOf } from '../../store/read/file-calls.ts'
import type { Reader } from '../../store/read/reader.ts'

export const filesHistory: ReaderHandler<'files.history'> = (reader, input) => {
  const { path, calls, partial } = callsOf(reader, input.path)
  const items: OperationOutput<'files.history'>['items'] = []
  for (const { call, step, path: then, state } of fileHistory(calls, path)) {
    const isRestore = call.toolName === FILE_RESTORED
    // Of a restore, and of a command around which the disk was looked at, only what came of it.
    if (items.at(-1)?.uuid === call.uuid) {
      if (isRestore && then !== path) continue
      if (isRestore || call.seen.length > 0) items.pop()
    }
    if (step.kind === 'unchanged') continue
    items.push({
      uuid: call.uuid,
      session_id: call.session_id,
      turn_id: call.turn_id,
      agent_id: call.agent_id,
      timestamp: call.timestamp,
      tool_name: isRestore ? 'Aspy' : call.toolName,
      action: step.kind === 'substituted' ? 'changed' : step.kind === 'found' ? 'seen' : step.kind,
      path: then,
      state: state.kind,
      lines: state.kind === 'known' ? lineCount(state.lines) : null,
      is_doubted: state.doubtedSince !== null,
    })
  }
  return { path, items, partial }
}

export const filesAt: ReaderHandler<'files.at'> = (reader, { path: asked, uuid }) => {
  const { path, state, timestamp, partial } = stateAt(reader, asked, uuid)
  const lines = state.lines.map((line, at) => ({ line: at + 1, ...line }))
  return {
    path,
    state: state.kind,
    timestamp,
    doubted_since: state.doubtedSince,
    is_whole: state.isWhole,
    line_ending: state.ending,
    lines,
    holes: lines.flatMap(({ line, text }) => (text === null ? [line] : [])),
    partial,
  }
}

export const filesBlame: ReaderHandler<'files.blame'> = (reader, { path: asked, line, until, as_text: asText }) => {
  const forms = new EarlierForms()
  const { path, state, partial } = stateAt(reader, asked, until, forms)
  const lines = state.lines.map((each, at) => ({ line: at + 1, ...each, earlier_forms: [...forms.of(each)] }))
  const wanted = line === undefined ? lines : lines.filter((each) => each.line === line)
  const causes = causesOf(reader, new Set(wanted.flatMap(({ event }) => event ?? [])))
  const items = wanted.map((each) => ({ ...each, ...(causes.get(each.event ?? '') ?? NO_CAUSE) }))
  const { kind, doubtedSince, isWhole } = state
  const facts = { state: kind, doubted_since: doubtedSince, is_whole: isWhole, line_count: lines.length }
  const found = { path, ...facts, items, partial }
  return asText ? { ...found, text: blameText(found) } : found
}

/** Bounds the files of an answer: each is followed through the calls of all sessions. */
const MAX_FILES = 500

export const filesTree: ReaderHandler<'files.tree'> = (reader, { session_id: session, uuid, patch }) => {
  const until = uuid === undefined ? null : timeOf(reader, uuid)
  const { folder, calls, isCut } = callsOfSession(reader, session)
  const paths = changedPaths(calls.flatMap((call) => stepsOf(call).map((step) => ({ step, uuid: call.uuid }))))
  const linked = linkedFolders(projectsOf(reader))
  let partial = isCut || paths.length > MAX_FILES
  const items = paths.slice(0, MAX_FILES).flatMap((path) => {
    const found = fileCalls(reader, path, otherNames(path, linked))
    partial ||= found.isCut
    const change = sessionChange(
      found.calls,
      path,
      (call) => call.session_id === session && call.toolName !== FILE_RESTORED,
      (call) => until === null || call.uuid === uuid || call.timestamp <= until,
    )
    return change === null ? [] : treeItem(path, change, patch ? folder : null)
  })
  return { folder, items, partial }
}

function treeItem(path: string, { before, after }: SessionChange, folder: string | null) {
  const [old, next] = [textOf(before, after.ending), textOf(after, before.ending)]
  const isBelow = folder !== null && path.startsWith(`${folder}/`)
  const state: OperationOutput<'files.tree'>['items'][number]['state'] =
    next === null ? 'deleted' : next !== undefined ? 'whole' : after.kind === 'unknown' ? 'unknown' : 'holes'
  return {
    path,
    state,
    lines: after.kind === 'known' ? lineCount(after.lines) : null,
    is_new: old === null,
    doubted_since: after.doubtedSince,
    patch:
      isBelow && old !== undefined && next !== undefined ? gitPatch(path.slice(folder.length + 1), old, next) : null,
  }
}

function blameText(found: OperationOutput<'files.blame'>): string {
  const { path, state, doubted_since: doubted, items, is_whole: isWhole, line_count: count } = found
  const nothing = state === 'absent' ? 'was deleted' : 'has no such line in the record'
  const part = items.length < count ? `${items.length} of ${count} lines` : isWhole ? 'All lines' : 'The recorded lines'
  const title = items.length === 0 ? `${path} ${nothing}.` : `${part} of ${path} with their origin.`
  const doubt = doubted === null ? [] : [`A command may have changed the file since: ${doubted}`]
  return fenceLines('Where a line comes from.', [title, ...items.flatMap(originLines), ...doubt])
}

function originLines(item: OperationOutput<'files.blame'>['items'][number]): readonly string[] {
  const { line, text, origin, event, prompt, prompt_text: asked, model, ts_wall: at, cost_usd: cost } = item
  const facts = [
    `${origin}${event === null ? '' : ` by call ${event}`}`,
    ...(at === null ? [] : [at]),
    ...(model === null ? [] : [model]),
    ...(cost === null ? [] : [`its turn cost ${formatUsd(cost)}`]),
  ]
  return [
    `${line}: ${text ?? '(not in the record)'}`,
    facts.join(', '),
    ...(prompt === null ? [] : [`prompt ${prompt}: ${asked ?? ''}`]),
  ]
}

function stateAt(reader: Reader, asked: string, uuid: string | undefined, forms?: EarlierForms) {
  const until = uuid === undefined ? null : timeOf(reader, uuid)
  const { path, calls, partial } = callsOf(reader, asked)
  let state = NOTHING_KNOWN
  let timestamp: string | null = null
  for (const step of fileHistory(calls, path)) {
    const isBefore = until === null || step.call.uuid === uuid || step.call.timestamp <= until
    if (!isBefore || step.path !== path) continue
    forms?.note(state.lines, step.state.lines)
    ;({ state } = step)
    ;({ timestamp } = step.call)
  }
  return { path, state, timestamp, partial }
}

function timeOf(reader: Reader, uuid: string): string {
  const event = reader.get<{ ts_wall: string }>('SELECT ts_wall FROM events WHERE uuid = ?', uuid)
  if (event === undefined) throw new AspyError('not_found', `no event has the uuid ${uuid}`)
  return event.ts_wall
}

/** Returns the calls that may have touched a file, under any of its names. */
function callsOf(reader: Reader, asked: string) {
  const path = joinedPath(null, asked)
  if (path === null) throw new AspyError('bad_input', `path: ${asked} is relative; give the whole path of the file`)
  checkAnswers(path)
  const { calls, isCut } = fileCalls(reader, path, otherNames(path, linkedFolders(projectsOf(reader))))
  return { path, calls, partial: isCut }
}
