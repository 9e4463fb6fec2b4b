import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bot, Circle, CircleCheck, CircleDot, CircleX, type LucideIcon } from 'lucide-react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Badge } from '../../../components/badge.tsx'
import { Card } from '../../../components/page.tsx'
import { formatCost, formatCount, formatDuration, formatExact, formatMoment } from '../../../lib/format.ts'
import { agentsQuery, tasksQuery } from '../queries.ts'

type Agent = OperationOutput<'agents.list'>['items'][number]
type Task = OperationOutput<'tasks.list'>['items'][number]

/** Who worked in a session beside the main agent, and what they set out to do; nothing where nobody and nothing did. */
export function WorkCards({ sessionId }: { readonly sessionId: string }) {
  const agents = useQuery(agentsQuery(sessionId)).data
  const tasks = useQuery(tasksQuery(sessionId)).data
  return (
    <>
      {tasks && tasks.items.length > 0 && (
        <Card title="Tasks" note={`as they stood last; ${doneOf(tasks.items)}`}>
          <TaskList sessionId={sessionId} tasks={tasks.items} agents={agents?.items ?? []} />
          {tasks.partial && <More />}
        </Card>
      )}
      {agents && agents.items.length > 0 && (
        <Card
          title="Subagents"
          note={`${formatCount(agents.items.length)}; what each was asked, and what it used. Choose one to see its turn`}
        >
          <AgentTable sessionId={sessionId} agents={agents.items} />
          {agents.partial && <More />}
        </Card>
      )}
    </>
  )
}

const More = () => <p className="px-5 pb-4 text-meta text-faint">There are more than are shown here.</p>

function doneOf(tasks: readonly Task[]): string {
  return `${formatCount(tasks.filter(({ status }) => status === 'completed').length)} of ${formatCount(tasks.length)} done`
}

const TASK_LOOKS: Readonly<Record<string, { icon: LucideIcon; color: string; word: string }>> = {
  completed: { icon: CircleCheck, color: 'text-good', word: 'done' },
  in_progress: { icon: CircleDot, color: 'text-accent', word: 'under way' },
  pending: { icon: Circle, color: 'text-faint', word: 'open' },
  deleted: { icon: CircleX, color: 'text-faint', word: 'taken off' },
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
              to="/sessions/$sessionId"
              params={{ sessionId }}
              search={{ event: task.uuid }}
              title="Where this was said last"
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
              <time className="text-right text-faint" dateTime={task.updated_at} title={formatExact(task.updated_at)}>
                {formatMoment(task.updated_at)}
              </time>
            </Link>
          </li>
        )
      })}
    </ol>
  )
}

const HEADS = ['Took', 'Calls', 'Tools', 'Tokens', 'Cost'] as const

function AgentTable({ sessionId, agents }: { readonly sessionId: string; readonly agents: readonly Agent[] }) {
  return (
    <div className="overflow-x-auto px-5 pb-3">
      <table className="w-full min-w-[42rem] text-small">
        <thead>
          <tr className="label border-b text-left">
            <th className="py-2 font-medium">Subagent</th>
            <th className="py-2 pl-4 font-medium">Turn</th>
            {HEADS.map((head) => (
              <th key={head} className="py-2 pl-4 text-right font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {agents.map((agent) => (
            <tr key={agent.agent_id} className="relative border-b last:border-0 hover:bg-hover">
              <td className="py-2">
                <span className="flex items-center gap-2">
                  <Bot className="size-4 shrink-0 text-k-agent" aria-hidden />
                  <Link
                    to="/sessions/$sessionId"
                    params={{ sessionId }}
                    search={{ tab: 'timeline', turn: String(agent.turn_id) }}
                    title={agent.parent_agent_id === null ? undefined : 'Started by another subagent'}
                    className="font-medium after:absolute after:inset-0"
                  >
                    {agent.agent_type ?? 'agent'}
                  </Link>
                  <Outcome agent={agent} />
                </span>
                {agent.description !== null && (
                  <span className="traffic block pl-6 text-meta text-faint">{agent.description}</span>
                )}
              </td>
              <td className="py-2 pl-4 whitespace-nowrap text-soft">
                {agent.turn_id}
                <span className="text-faint" title={formatExact(agent.started_at)}>
                  {agent.started_at !== null && ` · ${formatMoment(agent.started_at)}`}
                </span>
              </td>
              {[
                formatDuration(tookOf(agent)),
                formatCount(agent.calls),
                formatCount(agent.tool_calls),
                formatCount(agent.tokens),
              ].map((text, column) => (
                <td key={HEADS[column]} className="py-2 pl-4 text-right whitespace-nowrap text-soft">
                  {text}
                </td>
              ))}
              <td className="py-2 pl-4 text-right font-semibold">{formatCost(agent.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Outcome({ agent }: { agent: Agent }) {
  if (agent.success === false) return <Badge tone="bad">failed</Badge>
  return agent.ended_at === null ? <Badge title="It is at work, or nobody told of its end">no end seen</Badge> : null
}

function tookOf({ started_at: started, ended_at: ended }: Agent): number | null {
  return started === null || ended === null ? null : Date.parse(ended) - Date.parse(started)
}
