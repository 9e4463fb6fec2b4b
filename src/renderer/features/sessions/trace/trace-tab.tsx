import { firstCharacters } from '../../../../shared/cut-text.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { ChevronRight, CornerLeftUp, Network } from 'lucide-react'
import { createContext, useContext, useState } from 'react'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { EventKind } from '../../../../shared/event.ts'
import { Button } from '../../../components/button.tsx'
import { actionOf, KIND_LOOKS, KindIcon } from '../../../components/event-kind.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { ScrollRegion } from '../../../components/scroll-region.tsx'
import { VirtualList } from '../../../components/virtual-list.tsx'
import { formatClock, formatDuration, formatExact } from '../../../lib/format.ts'
import { promptText } from '../../../lib/snippet.ts'
import { useOperation } from '../../../lib/operation.ts'
import { eventText } from '../transcript/event-text.ts'
import { agentsElsewhere } from './agents-elsewhere.ts'
import { BranchCostsContext, useBranchCosts } from './branch-costs.ts'
import { ChainNotes } from './chain-notes.tsx'

interface TraceTabProps {
  readonly sessionId: string
  /** Root of the tree; undefined shows every prompt of the session. */
  readonly event: string | undefined
  readonly onRoot: (uuid: string | undefined) => void
  readonly onOpen: (uuid: string) => void
}

interface Node {
  readonly uuid: string
  readonly kind: EventKind
  readonly text: string
  readonly ts_wall: string
  readonly duration_ms: number | null
  readonly failed: boolean
  /** The agent that it starts, by its id or its call; null: none. */
  readonly agent: string | null
  /** What the guard did, if it is its action. */
  readonly action?: string | undefined
  /** Time and cost of its branch, if known from elsewhere. */
  readonly note?: string | undefined
  /** The turn that it begins: agents of the turn are shown below it. */
  readonly begins?: { readonly session_id: string; readonly turn_id: number }
}

/** Causes and effects of an event as a tree. Branches are loaded when they are opened. */
export function TraceTab({ sessionId, event, onRoot, onOpen }: TraceTabProps) {
  const [opened] = useState(() => new Map<string, boolean>())
  const costs = useBranchCosts(sessionId)
  return (
    <section aria-label="Trace" className="flex min-w-0 flex-1 flex-col">
      <BranchCostsContext value={costs}>
        <OpenedBranches value={opened}>
          {event === undefined ? (
            <Prompts sessionId={sessionId} onRoot={onRoot} onOpen={onOpen} />
          ) : (
            <ScrollRegion label="Trace tree" className={SCROLLER}>
              <div className={COLUMN}>
                <FromEvent key={event} uuid={event} onRoot={onRoot} onOpen={onOpen} />
              </div>
            </ScrollRegion>
          )}
        </OpenedBranches>
      </BranchCostsContext>
    </section>
  )
}

const SCROLLER = 'min-h-0 flex-1 px-6 py-4 max-[700px]:px-3'
const COLUMN = 'mx-auto max-w-[72rem]'

/** Branches that the user opened or closed, so that a branch scrolled out of view keeps its state. */
const OpenedBranches = createContext(new Map<string, boolean>())

function Prompts({ sessionId, onRoot, onOpen }: Omit<TraceTabProps, 'event'>) {
  const costs = useContext(BranchCostsContext)
  const query = useOperation('prompts.search', { session_id: sessionId })
  return loaded({ query, label: 'Loading prompts' }, ({ items }) => (
    <VirtualList
      label="Trace tree"
      items={items}
      keyOf={(prompt) => prompt.uuid}
      estimate={() => 30}
      overscan={10}
      className={SCROLLER}
      listClassName={COLUMN}
      rowProps={() => ({ className: 'pb-0.5' })}
      before={
        <p className={`${COLUMN} mb-3 text-small text-soft`}>
          {items.length === 0
            ? 'This session has no prompts.'
            : 'Each prompt and what followed from it. Open a branch to go deeper, or start the tree at any event.'}
        </p>
      }
    >
      {(prompt, index) => (
        <Branch
          node={{
            uuid: prompt.uuid,
            kind: 'user_prompt',
            text: promptText(prompt.content),
            ts_wall: prompt.timestamp,
            duration_ms: null,
            failed: false,
            agent: null,
            note: costs.ofTurn.get(prompt.turn_id),
            begins: { session_id: sessionId, turn_id: prompt.turn_id },
          }}
          startOpen={index === 0 || costs.turnsWithAgents.has(prompt.turn_id)}
          onRoot={onRoot}
          onOpen={onOpen}
        />
      )}
    </VirtualList>
  ))
}

function FromEvent({ uuid, onRoot, onOpen }: { uuid: string } & Pick<TraceTabProps, 'onRoot' | 'onOpen'>) {
  const query = useOperation('events.chain', { uuid })
  return loaded({ query, rows: 6, label: 'Loading causes' }, (chain) => (
    <Tree chain={chain} uuid={uuid} onRoot={onRoot} onOpen={onOpen} />
  ))
}

interface TreeProps extends Pick<TraceTabProps, 'onRoot' | 'onOpen'> {
  readonly chain: OperationOutput<'events.chain'>
  readonly uuid: string
}

function Tree({ chain, uuid, onRoot, onOpen }: TreeProps) {
  const above = chain.items.filter((step) => step.uuid !== uuid)
  const own = chain.items.find((step) => step.uuid === uuid)
  return (
    <>
      <div className="mb-2 flex items-center gap-3">
        <h2 className="label">Caused by</h2>
        <Button look="ghost" size="small" onClick={() => onRoot(undefined)}>
          Show all prompts
        </Button>
      </div>
      <ChainNotes {...chain} />
      <ol className="mb-4 flex flex-col gap-0.5">
        {above.map((step) => (
          <li key={step.uuid} className="flex items-center gap-1">
            <CornerLeftUp className="size-3.5 shrink-0 text-faint" aria-hidden />
            <NodeLine node={nodeOf(step)} onRoot={onRoot} onOpen={onOpen} />
          </li>
        ))}
        {above.length === 0 && <li className="text-small text-soft">Nothing. This event starts a chain.</li>}
      </ol>
      <h2 className="label mb-2">This event and what followed from it</h2>
      <ul>
        {own && (
          <li>
            <Branch node={nodeOf(own)} startOpen current onRoot={onRoot} onOpen={onOpen} />
          </li>
        )}
      </ul>
    </>
  )
}

interface Linked {
  readonly uuid: string
  readonly kind: EventKind
  readonly ts_wall: string
  readonly duration_ms: number | null
  readonly success: boolean | null
  readonly payload: Readonly<Record<string, unknown>>
}

const nodeOf = (event: Linked): Node => ({
  uuid: event.uuid,
  kind: event.kind,
  text: eventText(event.kind, event.payload),
  ts_wall: event.ts_wall,
  duration_ms: event.duration_ms,
  failed: event.success === false,
  agent: agentOf(event),
  action: actionOf(event.payload),
})

/** Calls refer to the agent that they start by their own id. */
function agentOf({ kind, payload }: Linked): string | null {
  const id = kind === 'tool_call' ? payload['call_id'] : kind === 'agent_started' ? payload['agent_id'] : null
  return typeof id === 'string' ? id : null
}

interface BranchProps {
  readonly node: Node
  readonly startOpen?: boolean
  readonly current?: boolean
  readonly onRoot: (uuid: string | undefined) => void
  readonly onOpen: (uuid: string) => void
}

function Branch({ node, startOpen = false, current = false, onRoot, onOpen }: BranchProps) {
  const opened = useContext(OpenedBranches)
  const costs = useContext(BranchCostsContext)
  const [chosen, setOpen] = useState(opened.get(node.uuid))
  // Calls that started agents are open at first.
  const open =
    chosen ?? (startOpen || (node.kind === 'tool_call' && node.agent !== null && costs.ofAgent.has(node.agent)))
  const { data, error, isLoading } = useOperation('events.children', { uuid: node.uuid, limit: 500 }, { enabled: open })
  const agents = useTurnAgents(node.begins, open, data?.items ?? [])
  // Usage causes nothing, and its cost is on the branches.
  const children = [...(data?.items.filter(({ kind }) => kind !== 'api_usage') ?? []).map(nodeOf), ...agents]
    // The figures of an agent are on the call that started it, if that is above it.
    .map((child) => (node.kind === 'tool_call' ? { ...child, agent: null } : child))
    .toSorted((one, other) => one.ts_wall.localeCompare(other.ts_wall))
  const isLeaf = data !== undefined && children.length === 0
  return (
    <>
      <div className={`flex items-center gap-1 rounded-small ${current ? 'bg-accent-soft' : ''}`}>
        <button
          type="button"
          aria-expanded={open && !isLeaf}
          aria-label={`${open ? 'Collapse' : 'Expand'} this ${KIND_LOOKS[node.kind].label.toLowerCase()}`}
          disabled={isLeaf}
          onClick={() => {
            opened.set(node.uuid, !open)
            setOpen(!open)
          }}
          className="flex size-6 shrink-0 items-center justify-center rounded-small text-faint hover:bg-hover hover:text-ink disabled:opacity-30"
        >
          <ChevronRight className={`size-3.5 transition-transform ${open && !isLeaf ? 'rotate-90' : ''}`} aria-hidden />
        </button>
        <NodeLine node={node} onRoot={onRoot} onOpen={onOpen} />
      </div>
      {open && !isLeaf && (
        <ul className="ml-3 border-l pl-2">
          {isLoading && <li className="skeleton my-1 ml-7 h-4 w-64" />}
          {error && <li className="pl-7 text-meta text-bad">{error.message}</li>}
          {children.map((child) => (
            <li key={child.uuid}>
              <Branch node={child} onRoot={onRoot} onOpen={onOpen} />
            </li>
          ))}
          {data && data.next !== null && (
            <li className="pl-7 text-meta text-warn">Only the first {data.items.length} direct effects are shown.</li>
          )}
        </ul>
      )}
    </>
  )
}

/**
 * Loads the agents that the main agent started in a turn, as branches: their calls may be many steps from the prompt. Calls
 * among the direct effects show their agents themselves.
 */
function useTurnAgents(turn: Node['begins'], isOpen: boolean, caused: readonly Linked[]): readonly Node[] {
  const { tasks, turnsWithAgents } = useContext(BranchCostsContext)
  const enabled = isOpen && turn !== undefined && turnsWithAgents.has(turn.turn_id)
  const { data } = useOperation('events.list', { ...turn, kind: 'agent_started', limit: 100 }, { enabled })
  const others = enabled ? agentsElsewhere(data?.items ?? [], caused) : []
  return others.map(nodeOf).flatMap((node) => {
    const text = tasks.get(node.agent ?? '')
    return text === undefined ? [] : [{ ...node, text }]
  })
}

function NodeLine({ node, onRoot, onOpen }: Pick<BranchProps, 'node' | 'onRoot' | 'onOpen'>) {
  const { ofAgent } = useContext(BranchCostsContext)
  const note = node.note ?? (node.agent === null ? undefined : ofAgent.get(node.agent))
  return (
    <div className="group flex min-w-0 flex-1 items-center gap-2.5 rounded-small px-1.5 text-small hover:bg-hover">
      <KindIcon kind={node.kind} action={node.action} className="size-3.5" />
      <button
        type="button"
        onClick={() => onOpen(node.uuid)}
        className={`min-w-0 flex-1 truncate py-1 text-left ${node.failed ? 'text-bad' : ''}`}
      >
        {visibleText(firstCharacters(node.text, 300))}
      </button>
      {note !== undefined && <span className="shrink-0 text-meta font-medium text-soft">{note}</span>}
      {note === undefined && node.duration_ms !== null && (
        <span className="shrink-0 text-meta text-faint">{formatDuration(node.duration_ms)}</span>
      )}
      <time
        className="shrink-0 text-micro text-faint max-[700px]:hidden"
        dateTime={node.ts_wall}
        title={formatExact(node.ts_wall)}
      >
        {formatClock(node.ts_wall)}
      </time>
      <button
        type="button"
        onClick={() => onRoot(node.uuid)}
        aria-label="Start the tree here"
        title="Start the tree here: its causes and effects"
        className="flex size-6 shrink-0 items-center justify-center rounded-small text-faint opacity-0 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100 max-[700px]:w-0 max-[700px]:overflow-hidden max-[700px]:group-hover:w-6 max-[700px]:focus-visible:w-6"
      >
        <Network className="size-3.5" aria-hidden />
      </button>
    </div>
  )
}
