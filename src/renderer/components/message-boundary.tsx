import { Component, type ReactNode } from 'react'

/** Shows a note instead of a message that cannot be rendered, so that the rest of the page remains. */
export class MessageBoundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <p role="note" className="text-small text-faint">
        This message cannot be shown. Its details and the export have it in full.
      </p>
    )
  }
}
