/** The message of a webhook about an entry of the log: its `webhook-id` in every attempt. */
export function deliveryId({ webhook_id, log_index }: { webhook_id: string; log_index: number }): string {
  return `msg_${webhook_id.slice('wh_'.length)}_${log_index}`
}

/** The entry of the log that a message of this webhook is about, or null when it is of another. */
export function logIndexOf(id: string, webhookId: string): number | null {
  const [, webhook, index] = /^msg_([a-z2-7]{16})_(\d+)$/.exec(id) ?? []
  return webhookId === `wh_${webhook}` ? Number(index) : null
}
