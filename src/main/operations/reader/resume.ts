import type { Spoken } from '../../listings/texts.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { Session } from '../../../shared/contract/sessions.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { oneLine } from '../../../shared/harmless.ts'
import { lastQuestionIn, questionOfCall } from '../../recall/last-question.ts'
import { openFailures } from '../../recall/open-errors.ts'
import { cutAt, makePack, type Pack, type PackItem, shortTime } from '../../recall/pack.ts'
import { actionOf, actionsOf, outcomeWord } from '../../recall/tool-actions.ts'
import type { Reader } from '../../store/read/reader.ts'
import { openApiErrors, openTasks } from '../../store/read/resume.ts'
import { latestSession, requireSession } from '../../store/read/sessions.ts'
import { conversation } from '../../store/read/texts.ts'
import { type ToolStep, toolSteps } from '../../store/read/tool-steps.ts'
import { oneLineOf, withShortIds } from './pack-items.ts'
import { memoriesOf } from './people.ts'
import { type LostText, type ResumeTruth, resumeTruth } from './resume-truth.ts'

type Resume = OperationOutput<'sessions.resume'>

/** Tool calls that are read for commands, files and errors. */
const STEPS = 300
const SPOKEN = 20
const MAX_TASKS = 200
const TASKS_SHOWN = 20
const MAX_ERRORS = 5
const MAX_COMMANDS = 8
const MAX_FILES = 8
const MAX_LOST = 100
const MAX_REMEMBERED = 20
const PROMPT_CHARACTERS = 1500
const ANSWER_CHARACTERS = 1000
const LOST_CHARACTERS = 600

/** Describes where a session left off. */
function resume(reader: Reader, sessionId: string, budget: number): Resume {
  const session = requireSession(reader, sessionId)
  const spoken = conversation(reader, { session_id: session.id, limit: SPOKEN }).items
  const steps = toolSteps(reader, { session_id: session.id, limit: STEPS })
  const lastPrompt = spoken.find(({ role }) => role === 'user')
  const answer = spoken.find(({ role }) => role === 'assistant')
  const tasks = openTasks(reader, session.id, MAX_TASKS)
  const truth = resumeTruth(reader, session.id)
  const work = {
    tasks,
    open_tasks: tasks.map(({ task_id, subject, status }) => `${subject || `task ${task_id}`} (${status || 'pending'})`),
    errors: openErrors(reader, session.id, steps),
    files: editedFiles(steps),
    commands: lastCommands(steps),
    last_question: lastQuestion(spoken, steps),
  }
  const items = [
    ...remembered(reader, session),
    ...quote('last prompt', session, lastPrompt, PROMPT_CHARACTERS),
    ...quote('last answer', session, answer, ANSWER_CHARACTERS),
    ...listsOf(session, work, steps, answer ?? lastPrompt),
  ]
  const lost = truth?.lost.slice(0, MAX_LOST) ?? []
  const pack = makePack(withShortIds(reader, [...items, ...lostItems(originOf(session, truth), lost)]), {
    budgetTokens: budget,
    note: 'Where a session stood.',
    about: [aboutSession(session), ...(truth === null ? [] : [sayTruth(truth.resumed)])],
    foldsNearDuplicates: false,
  })
  return {
    ...pack,
    session_id: session.id,
    last_prompt: lastPrompt?.content ?? null,
    last_action: lastAction(steps[0], answer),
    ...work,
    resumed: truth === null ? null : { ...truth.resumed, lost: lost.map(cut) },
    ...(lost.length === 0
      ? {}
      : { lost_pack: lostPack(reader, originOf(session, truth), lost, Math.max(budget, 4000)).text }),
  }
}

/** Returns what the user remembered of a session, newest first. */
const remembered = (reader: Reader, session: Session): PackItem[] =>
  memoriesOf(reader, { session_id: session.id, limit: MAX_REMEMBERED }).map((memory) =>
    itemOf(session, { ...memory, label: 'remembered by the user', text: memory.fact || memory.content }),
  )

const cut = (text: LostText) => ({ ...text, content: oneLineOf(text.content, LOST_CHARACTERS) })

function aboutSession(session: Session): string {
  const title = session.title === null ? '' : ` "${oneLine(session.title, 100)}"`
  return `Where session ${oneLine(session.id, 80)}${title} stood at ${shortTime(session.last_event_at)}.`
}

/** Describes in a sentence how much of a session its last resume carried. */
function sayTruth(truth: Omit<NonNullable<Resume['resumed']>, 'lost'>): string {
  const { at, had, from_session_id: from, lost_count: lost, lost_results: results } = truth
  const when = `The resume of ${shortTime(at)}${from === null ? '' : ` from session ${oneLine(from, 80)}`}`
  const without = results === 0 ? '' : ` without ${results} tool ${results === 1 ? 'result' : 'results'}`
  if (lost === 0) return `${when} carried all ${had} messages${without === '' ? '' : `, but${without}`}.`
  return `${when} carried ${had - lost} of ${had} messages${without === '' ? '' : `,${without}`}: the model does not see the other ${lost}, quoted as lost.`
}

function quote(label: string, session: Session, text: Spoken | undefined, most: number): PackItem[] {
  if (text === undefined) return []
  const { uuid, turn_id, timestamp, content } = text
  return [itemOf(session, { label, uuid, turn_id, timestamp, text: cutAt(content, most) })]
}

const itemOf = (session: Session, item: Omit<PackItem, 'session_id' | 'project'>): PackItem => ({
  session_id: session.id,
  project: session.project,
  ...item,
})

type Work = Pick<Resume, 'open_tasks' | 'errors' | 'files' | 'commands' | 'last_question'>

function listsOf(session: Session, work: Work, [newest]: readonly ToolStep[], said: Spoken | undefined): PackItem[] {
  const at = newest !== undefined && (said === undefined || newest.timestamp > said.timestamp) ? newest : said
  if (at === undefined) return []
  const list = (label: string, entries: readonly string[]) =>
    entries.length === 0
      ? []
      : [itemOf(session, { ...at, label, text: entries.map((entry) => `- ${entry}`).join('\n') })]
  const question = work.last_question
  const files = work.files.map(({ path, added, removed }) => `${path} +${added} −${removed}`)
  const asked = question === null ? [] : [question.text]
  return [
    ...list(question?.answered === true ? 'last question, answered' : 'open question to the user', asked),
    ...list('open tasks', work.open_tasks.slice(0, TASKS_SHOWN)),
    ...list('open errors', work.errors),
    ...list('files edited, newest first', files),
    ...list('commands, newest first', work.commands),
  ]
}

/** Returns the session that has the lost texts. */
const originOf = (session: Session, truth: ResumeTruth | null): Session => ({
  ...session,
  id: truth?.resumed.from_session_id ?? session.id,
})

const lostItems = (session: Session, lost: readonly LostText[]): PackItem[] =>
  lost.map(({ role, tool_name: tool, uuid, turn_id, timestamp, content }) =>
    itemOf(session, {
      label: role === 'user' ? 'lost prompt' : role === 'tool' ? `lost result of ${tool ?? 'a tool'}` : 'lost answer',
      uuid,
      turn_id,
      timestamp,
      text: content,
    }),
  )

function lostPack(reader: Reader, session: Session, lost: readonly LostText[], budgetTokens: number): Pack {
  const items = withShortIds(reader, lostItems(session, lost))
  const note = 'Said in this session before it was resumed, and not in the request that followed.'
  return makePack(items, { budgetTokens, note, foldsNearDuplicates: false, namesTexts: false, shortensFence: true })
}

export const sessionResumeTruth: ReaderHandler<'sessions.resume_truth'> = (reader, { session_id: id, budget }) => {
  const session = requireSession(reader, id)
  const truth = resumeTruth(reader, session.id)
  const lost = truth?.lost.slice(0, MAX_LOST) ?? []
  return {
    session_id: session.id,
    resumed: truth === null ? null : { ...truth.resumed, lost: lost.map(cut) },
    pack: lost.length === 0 ? null : lostPack(reader, originOf(session, truth), lost, budget),
  }
}

function openErrors(reader: Reader, sessionId: string, steps: readonly ToolStep[]): string[] {
  const api = openApiErrors(reader, sessionId, MAX_ERRORS).map(({ timestamp, content }) => ({
    timestamp,
    text: content,
  }))
  const tools = openFailures(steps).map((step) => ({ timestamp: step.timestamp, text: failureOf(step) }))
  return [...api, ...tools]
    .sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1))
    .slice(0, MAX_ERRORS)
    .map(({ text }) => oneLineOf(text, 300))
}

function failureOf(step: ToolStep): string {
  const action = actionOf(step)
  const what =
    action === null ? step.tool_name : action.kind === 'command' ? `$ ${action.command}` : `edit ${action.path}`
  return `${oneLineOf(what, 140)}: ${step.error ?? step.output ?? 'failed'}`
}

function editedFiles(steps: readonly ToolStep[]): Resume['files'] {
  const files = new Map<string, Resume['files'][number]>()
  for (const step of steps) {
    if (step.success === false || step.rejected) continue
    for (const action of actionsOf(step)) {
      if (action.kind !== 'edit') continue
      const { path, added, removed } = action
      const known = files.get(path)
      files.set(path, {
        path,
        edits: (known?.edits ?? 0) + 1,
        added: (known?.added ?? 0) + added,
        removed: (known?.removed ?? 0) + removed,
        last_at: known?.last_at ?? step.timestamp,
      })
    }
  }
  return [...files.values()].slice(0, MAX_FILES)
}

function lastCommands(steps: readonly ToolStep[]): string[] {
  return steps
    .flatMap((step) => {
      const action = actionOf(step)
      return action?.kind === 'command' ? [`$ ${oneLineOf(action.command, 160)}: ${outcomeWord(step)}`] : []
    })
    .slice(0, MAX_COMMANDS)
}

function lastQuestion(spoken: readonly Spoken[], steps: readonly ToolStep[]): Resume['last_question'] {
  const said = spoken.flatMap(({ role, uuid, timestamp, content }) => {
    const text = role === 'assistant' ? lastQuestionIn(content) : null
    return text === null ? [] : [{ uuid, timestamp, text, answered: isAnswered(spoken, timestamp) }]
  })
  const called = steps.flatMap((step) => {
    const { uuid, timestamp, success } = step
    const text = questionOfCall(step)
    return text === null ? [] : [{ uuid, timestamp, text, answered: success === true || isAnswered(spoken, timestamp) }]
  })
  return [said[0], called[0]].reduce<Resume['last_question']>(
    (newest, each) => (each !== undefined && (newest === null || each.timestamp > newest.timestamp) ? each : newest),
    null,
  )
}

const isAnswered = (spoken: readonly Spoken[], asked: string): boolean =>
  spoken.some(({ role, timestamp }) => role === 'user' && timestamp > asked)

function lastAction(step: ToolStep | undefined, answer: Spoken | undefined): string | null {
  if (step === undefined || (answer !== undefined && answer.timestamp >= step.timestamp))
    return answer === undefined ? null : oneLineOf(answer.content, 200)
  return oneLineOf(`${step.tool_name} ${JSON.stringify(step.input)}`, 200)
}

export const sessionResume: ReaderHandler<'sessions.resume'> = (reader, input) =>
  resume(reader, input.session_id, input.budget)

export const resumeLatest: ReaderHandler<'sessions.resume_latest'> = (reader, input) => {
  const id = input.session_id ?? latestSession(reader, input.project)?.id
  if (id === undefined)
    throw new AspyError(
      'not_found',
      `no session is recorded${input.project === undefined ? '' : ' for this project'} yet`,
    )
  return resume(reader, id, input.budget)
}
