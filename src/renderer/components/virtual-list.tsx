import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type HTMLAttributes,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import { ScrollRegion } from './scroll-region.tsx'

/** Scrolls a list from outside. `end` puts the row at the bottom. */
export interface VirtualListHandle {
  /** Brings a row into view: at the top (`start`), or with as little movement as possible (`auto`). */
  scrollTo(index: number, align?: 'start' | 'end' | 'auto'): void
  /**
   * Gives the scroll region the focus, so that its keys work. It shows no focus ring until the keyboard moves the focus
   * to it.
   */
  focus(): void
  /** The scroll region. */
  readonly element: HTMLElement | null
}

interface VirtualListProps<Item> extends Omit<HTMLAttributes<HTMLDivElement>, 'children'> {
  /** Accessible name of the scroll region. */
  readonly label: string
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string | number
  /** Expected height of a row in px, used until the row is measured. */
  readonly estimate: (item: Item) => number
  /** Rows have exactly their estimated height and are not measured. */
  readonly isFixed?: boolean
  readonly children: (item: Item, index: number) => ReactNode
  /** `table` renders `role="row"` inside a row group; `list` renders `<ol>` and `<li>`. */
  readonly layout?: 'list' | 'table'
  readonly rowProps?: (item: Item, index: number) => HTMLAttributes<HTMLElement>
  readonly listClassName?: string
  readonly overscan?: number
  /** Space inside the list, in px. */
  readonly paddingStart?: number
  readonly paddingEnd?: number
  /** Rendered inside the scroll region, above and below the rows. */
  readonly before?: ReactNode
  readonly after?: ReactNode
  /** Called when the rows on screen come close to the last one. */
  readonly onNearEnd?: (() => void) | undefined
  /** Called with the first and last row on screen when they change. */
  readonly onRange?: ((first: number, last: number) => void) | undefined
  /** Keeps the list scrolled to its end. Change the value when content below the rows grows; null turns it off. */
  readonly followEnd?: number | null
  readonly ref?: Ref<VirtualListHandle>
}

const NEAR_END_ROWS = 30

/** A scrolling list of any length that renders only the rows on screen. */
export function VirtualList<Item>(props: VirtualListProps<Item>): ReactNode {
  const {
    label,
    items,
    keyOf,
    estimate,
    isFixed = false,
    children,
    layout = 'list',
    rowProps,
    listClassName,
    ...more
  } = props
  const {
    overscan = 8,
    paddingStart = 0,
    paddingEnd = 0,
    before,
    after,
    onNearEnd,
    onRange,
    followEnd = null,
    ref,
    ...region
  } = more
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => valueAt(items, index, estimate) ?? 0,
    getItemKey: (index) => valueAt(items, index, keyOf) ?? index,
    overscan,
    paddingStart,
    paddingEnd,
    scrollPaddingStart: paddingStart === 0 ? 0 : 12,
    // A scroll renders together with the frame's other changes. Rows beyond the screen bridge the time until then.
    useFlushSync: false,
  })
  useImperativeHandle(
    ref,
    () => ({
      scrollTo: (index, align = 'auto') => virtualizer.scrollToIndex(index, { align }),
      focus: () => focusQuietly(scroller.current),
      get element() {
        return scroller.current
      },
    }),
    [virtualizer],
  )

  const rows = virtualizer.getVirtualItems()
  const lastShown = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastShown >= items.length - NEAR_END_ROWS) onNearEnd?.()
  }, [lastShown, items.length, onNearEnd])

  const { startIndex: first, endIndex: last } = virtualizer.range ?? { startIndex: -1, endIndex: -1 }
  useEffect(() => {
    if (first >= 0) onRange?.(first, last)
  }, [first, last, onRange])

  const totalSize = virtualizer.getTotalSize()
  useLayoutEffect(() => {
    if (scroller.current && followEnd !== null) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [followEnd, totalSize])

  const [List, Row] = layout === 'list' ? (['ol', 'li'] as const) : (['div', 'div'] as const)
  return (
    <ScrollRegion ref={scroller} label={label} role={layout === 'list' ? 'region' : 'rowgroup'} {...region}>
      {before}
      <List
        role={layout === 'list' ? undefined : 'presentation'}
        className={`relative ${listClassName ?? ''}`}
        style={{ height: totalSize }}
      >
        {rows.map((row) => {
          const item = items[row.index]
          if (item === undefined) return null
          const { className = '', ...rest } = rowProps?.(item, row.index) ?? {}
          return (
            <Row
              key={row.key}
              ref={isFixed ? undefined : virtualizer.measureElement}
              data-index={row.index}
              role={layout === 'list' ? undefined : 'row'}
              {...rest}
              className={`absolute inset-x-0 ${className}`}
              // Not positioned by a transform, which would give each row its own paint layer.
              style={{ top: row.start, ...(isFixed ? { height: row.size } : {}) }}
            >
              {children(item, row.index)}
            </Row>
          )
        })}
      </List>
      {after}
    </ScrollRegion>
  )
}

function focusQuietly(element: HTMLElement | null): void {
  if (element === null) return
  element.dataset['quiet'] = ''
  element.addEventListener('blur', () => delete element.dataset['quiet'], { once: true })
  element.focus({ preventScroll: true })
}

function valueAt<Item, Value>(items: readonly Item[], index: number, read: (item: Item) => Value): Value | undefined {
  const item = items[index]
  return item === undefined ? undefined : read(item)
}
