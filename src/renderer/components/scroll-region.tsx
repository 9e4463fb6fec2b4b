import type { HTMLAttributes, Ref } from 'react'

interface ScrollRegionProps extends HTMLAttributes<HTMLDivElement> {
  readonly label: string
  readonly ref?: Ref<HTMLDivElement>
}

/** A named area that scrolls and that the keyboard can reach. */
export function ScrollRegion({ label, className = '', ...rest }: ScrollRegionProps) {
  // The keyboard scrolls the element that has the focus.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  return <div role="region" aria-label={label} tabIndex={0} {...rest} className={`overflow-y-auto ${className}`} />
}
