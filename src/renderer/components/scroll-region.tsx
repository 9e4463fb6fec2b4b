import type { HTMLAttributes, Ref } from 'react'

interface ScrollRegionProps extends HTMLAttributes<HTMLDivElement> {
  readonly label: string
  readonly ref?: Ref<HTMLDivElement>
}

/** A part of the window that scrolls: named, and in reach of the keyboard. */
export function ScrollRegion({ label, className = '', ...rest }: ScrollRegionProps) {
  // Whoever works by keyboard scrolls what has the focus.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  return <div role="region" aria-label={label} tabIndex={0} {...rest} className={`overflow-y-auto ${className}`} />
}
