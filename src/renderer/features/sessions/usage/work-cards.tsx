import { Link } from '@tanstack/react-router'
import { Bot, Circle, CircleCheck, CircleDot, CircleX, type LucideIcon } from 'lucide-react'
import { agentsTable } from '../../../../shared/columns/usage.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Badge } from '../../../components/badge.tsx'
import { Card } from '../../../components/page.tsx'
import { Table } from '../../../components/table.tsx'
import { formatCount, formatExact, formatMoment } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { toSession } from '../../../lib/places.ts'
import { Moment } from '../../../components/moment.tsx'

type Agent = OperationOutput<'agents.list'>['items'][number]
type Task = OperationOutput<'tasks.list'>['items'][number]

/** A session's tasks and subagents. Renders nothing if it has none. */
export function WorkCards({ sessionId }: { readonly sessionId: string }) {
  const agents = useOperation('agents.list', { session_id: sessionId }).data
  const tasks = useOperation('tasks.list', { session_id: sessionId }).data
  return (
    <>
      {tasks && tasks.items.length > 0 && (
        <Card title="Tasks" note={`latest state; ${doneOf(tasks.items)}`}>
          <TaskList sessionId={sessionId} tasks={tasks.items} agents={agents?.items ?? []} />
          {tasks.partial && <More />}
        </Card>
      )}
      {agents && agents.items.length > 0 && (
        <Card title="Subagents" note={`${formatCount(agents.items.length)}; choose one to see its turn`}>
          <AgentTable sessionId={sessionId} agents={agents.items} />
          {agents.partial && <More />}
        </Card>
      )}
    </>
  )
}

const More = () => <p className="px-5 pb-4 text-meta text-faint">This list is incomplete; there are more.</p>

const doneOf = (tasks: readonly Task[]): string =>
  `${formatCount(tasks.filter(({ status }) => status === 'completed').length)} of ${formatCount(tasks.length)} done`

const TASK_LOOKS: Readonly<Record<string, { icon: LucideIcon; color: string; word: string }>> = {
  completed: { icon: CircleCheck, color: 'text-good', word: 'done' },
  in_progress: { icon: CircleDot, color: 'text-accent', word: 'in progress' },
  pending: { icon: Circle, color: 'text-faint', word: 'open' },
  deleted: { icon: CircleX, color: 'text-faint', word: 'deleted' },
}

interface TaskListProps {
  readonly sessionId: string
  readonly tasks: readonly Task[]
  readonly agents: readonly Agent[]
}

function TaskList({ sessionId, tasks, agents }: TaskListProps) {
  const names = new Map(agents.map((agent) => [agent.agent_id, agent.agent_type ?? 'agent']))
  return (
    <ol className="px-3 pb-3 text-small">
      {tasks.map((task) => {
        const look = TASK_LOOKS[task.status]
        const Icon = look?.icon ?? Circle
        return (
          <li key={`${task.agent_id} ${task.task_id}`}>
            <Link
              {...toSession(sessionId, { event: task.uuid })}
              title="Open the latest update"
              className="grid grid-cols-[1rem_minmax(0,1fr)_auto_6rem_7rem] items-center gap-x-3 rounded-small px-2 py-1.5 hover:bg-hover"
            >
              <Icon className={`size-4 ${look?.color ?? 'text-faint'}`} aria-hidden />
              <span
                className={`traffic ${task.status === 'completed' || task.status === 'deleted' ? 'text-soft' : 'font-medium'}`}
              >
                {task.subject}
              </span>
              <span>{task.agent_id !== null && <Badge>{names.get(task.agent_id) ?? 'agent'}</Badge>}</span>
              <span className={look?.color ?? 'text-faint'}>{look?.word ?? task.status}</span>
              <Moment at={task.updated_at} className="text-right text-faint" />
            </Link>
          </li>
        )
      })}
    </ol>
  )
}

function AgentTable({ sessionId, agents }: { readonly sessionId: string; readonly agents: readonly Agent[] }) {
  return (
    <Table
      columns={agentsTable}
      rows={agents}
      keyOf={(agent) => agent.agent_id}
      minWidth="min-w-[42rem]"
      isLink
      cells={{
        agent_type: (agent, text) => (
          <>
            <span className="flex items-center gap-2">
              <Bot className="size-4 shrink-0 text-k-agent" aria-hidden />
              <Link
                {...toSession(sessionId, { tab: 'timeline', turn: String(agent.turn_id) })}
                title={agent.parent_agent_id === null ? undefined : 'Started by another subagent'}
                className="font-medium after:absolute after:inset-0"
              >
                {text}
              </Link>
              <Outcome agent={agent} />
            </span>
            {agent.description !== null && (
              <span className="traffic block pl-6 text-meta text-faint">{agent.description}</span>
            )}
          </>
        ),
        turn_id: ({ started_at: started }, text) => (
          <>
            {text}
            <span className="text-faint" title={formatExact(started)}>
              {started !== null && ` · ${formatMoment(started)}`}
            </span>
          </>
        ),
      }}
    />
  )
}

function Outcome({ agent }: { agent: Agent }) {
  if (agent.success === false) return <Badge tone="bad">failed</Badge>
  return agent.ended_at === null ? (
    <Badge title="Still running, or its end was not recorded">no end recorded</Badge>
  ) : null
}
