import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight, CornerLeftUp, Network } from 'lucide-react'
import { createContext, useContext, useState } from 'react'
import type { EventKind } from '../../../../shared/event.ts'
import { Button } from '../../../components/button.tsx'
import { KIND_LOOKS, KindIcon } from '../../../components/event-kind.tsx'
import { ScrollRegion } from '../../../components/scroll-region.tsx'
import { Failed, LoadingRows } from '../../../components/states.tsx'
import { formatClock, formatDuration, formatExact } from '../../../lib/format.ts'
import { snippetText } from '../../../lib/snippet.ts'
import { eventText } from '../transcript/event-text.ts'
import { chainQuery, childrenQuery, outlineQuery } from '../queries.ts'

interface LineageTabProps {
  readonly sessionId: string
  /** Where the tree begins; undefined: at every prompt of the session. */
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
}

/** What led to an event, and what it led to: a tree whose branches are read as they are opened. */
export function LineageTab({ sessionId, event, onRoot, onOpen }: LineageTabProps) {
  // State, not a ref: the list inside is there before the element that it scrolls in.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const [opened] = useState(() => new Map<string, boolean>())
  return (
    <section aria-label="Lineage" className="flex min-w-0 flex-1 flex-col">
      <ScrollRegion ref={setScroller} label="Lineage tree" className="min-h-0 flex-1 px-6 py-4">
        <OpenedBranches value={opened}>
          <div className="mx-auto max-w-[72rem]">
            {event === undefined ? (
              <Prompts sessionId={sessionId} scroller={scroller} onRoot={onRoot} onOpen={onOpen} />
            ) : (
              <FromEvent key={event} uuid={event} onRoot={onRoot} onOpen={onOpen} />
            )}
          </div>
        </OpenedBranches>
      </ScrollRegion>
    </section>
  )
}

/** Which branches were opened and closed: a branch that was scrolled away comes back as it was left. */
const OpenedBranches = createContext(new Map<string, boolean>())

interface PromptsProps extends Pick<LineageTabProps, 'sessionId' | 'onRoot' | 'onOpen'> {
  readonly scroller: HTMLDivElement | null
}

function Prompts({ sessionId, scroller, onRoot, onOpen }: PromptsProps) {
  const { data, error, refetch } = useQuery(outlineQuery(sessionId))
  const virtualizer = useVirtualizer({
    count: data?.items.length ?? 0,
    getScrollElement: () => scroller,
    estimateSize: () => 30,
    getItemKey: (index) => data?.items[index]?.uuid ?? index,
    overscan: 10,
  })
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <LoadingRows rows={8} label="Loading the prompts" />
  return (
    <>
      <p className="mb-3 text-small text-soft">
        Each prompt, and what it led to. Open a branch to go further down, or begin the tree at any event.
      </p>
      <div className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => {
          const prompt = data.items[item.index]
          return (
            prompt && (
              <ul
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="absolute inset-x-0 top-0 pb-0.5"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <Branch
                  node={{
                    uuid: prompt.uuid,
                    kind: 'user_prompt',
                    text: snippetText(prompt.content),
                    ts_wall: prompt.timestamp,
                    duration_ms: null,
                    failed: false,
                  }}
                  startOpen={item.index === 0}
                  onRoot={onRoot}
                  onOpen={onOpen}
                />
              </ul>
            )
          )
        })}
      </div>
      {data.items.length === 0 && <p className="pt-16 text-center text-soft">No prompt of this session is known.</p>}
    </>
  )
}

function FromEvent({ uuid, onRoot, onOpen }: { uuid: string } & Pick<LineageTabProps, 'onRoot' | 'onOpen'>) {
  const { data: chain, error, refetch } = useQuery(chainQuery(uuid))
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!chain) return <LoadingRows rows={6} label="Loading what led to it" />
  const above = chain.items.filter((step) => step.uuid !== uuid)
  const own = chain.items.find((step) => step.uuid === uuid)
  return (
    <>
      <div className="mb-2 flex items-center gap-3">
        <h2 className="label">What led to it</h2>
        <Button look="ghost" size="small" onClick={() => onRoot(undefined)}>
          Show all prompts
        </Button>
      </div>
      {chain.truncated && (
        <p className="mb-1 text-meta text-warn">The chain is longer than shown: the nearest steps and the root.</p>
      )}
      {(chain.gap || chain.cycle) && (
        <p className="mb-1 text-meta text-warn">
          The chain has a {chain.gap ? 'gap' : 'loop'}: some of it was never seen.
        </p>
      )}
      <ol className="mb-4 flex flex-col gap-0.5">
        {above.map((step) => (
          <li key={step.uuid} className="flex items-center gap-1">
            <CornerLeftUp className="size-3.5 shrink-0 text-faint" aria-hidden />
            <NodeLine node={nodeOf(step)} onRoot={onRoot} onOpen={onOpen} />
          </li>
        ))}
        {above.length === 0 && <li className="text-small text-soft">Nothing: it is a beginning.</li>}
      </ol>
      <h2 className="label mb-2">It, and what it led to</h2>
      <ul>{own && <Branch node={nodeOf(own)} startOpen current onRoot={onRoot} onOpen={onOpen} />}</ul>
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
})

interface BranchProps {
  readonly node: Node
  readonly startOpen?: boolean
  readonly current?: boolean
  readonly onRoot: (uuid: string | undefined) => void
  readonly onOpen: (uuid: string) => void
}

function Branch({ node, startOpen = false, current = false, onRoot, onOpen }: BranchProps) {
  const opened = useContext(OpenedBranches)
  const [open, setOpen] = useState(opened.get(node.uuid) ?? startOpen)
  const { data, error, isLoading } = useQuery({ ...childrenQuery(node.uuid), enabled: open })
  const children = data?.items ?? []
  const isLeaf = data !== undefined && children.length === 0
  return (
    <li>
      <div className={`flex items-center gap-1 rounded-small ${current ? 'bg-accent-soft' : ''}`}>
        <button
          type="button"
          aria-expanded={open && !isLeaf}
          aria-label={`${open ? 'Close' : 'Open'} what this ${KIND_LOOKS[node.kind].label.toLowerCase()} led to`}
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
            <Branch key={child.uuid} node={nodeOf(child)} onRoot={onRoot} onOpen={onOpen} />
          ))}
          {data && data.next !== null && (
            <li className="pl-7 text-meta text-warn">More than {children.length} follow from it directly.</li>
          )}
        </ul>
      )}
    </li>
  )
}

function NodeLine({ node, onRoot, onOpen }: Pick<BranchProps, 'node' | 'onRoot' | 'onOpen'>) {
  return (
    <div className="group flex min-w-0 flex-1 items-center gap-2.5 rounded-small px-1.5 text-small hover:bg-hover">
      <KindIcon kind={node.kind} className="size-3.5" />
      <button
        type="button"
        onClick={() => onOpen(node.uuid)}
        className={`min-w-0 flex-1 truncate py-1 text-left ${node.failed ? 'text-bad' : ''}`}
      >
        {node.text.slice(0, 300)}
      </button>
      {node.duration_ms !== null && (
        <span className="shrink-0 text-meta text-faint">{formatDuration(node.duration_ms)}</span>
      )}
      <time className="shrink-0 text-micro text-faint" dateTime={node.ts_wall} title={formatExact(node.ts_wall)}>
        {formatClock(node.ts_wall)}
      </time>
      <button
        type="button"
        onClick={() => onRoot(node.uuid)}
        aria-label="Begin the tree here"
        title="Begin the tree here: what led to it, and what it led to"
        className="flex size-6 shrink-0 items-center justify-center rounded-small text-faint opacity-0 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100"
      >
        <Network className="size-3.5" aria-hidden />
      </button>
    </div>
  )
}
