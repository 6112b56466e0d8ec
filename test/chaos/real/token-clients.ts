/** The clients that the token server of a run knows: the workers, and who checks what they show. */
export const workerClient = { client_id: 'gate', client_secret: 'secret-of-the-workers' }
export const resourceServer = { client_id: 'payments', client_secret: 'secret-of-the-payments' }

/** The variable of the workers that holds their secret. */
export const workerSecretVariable = 'ACTUATOR_PAYMENTS_SECRET'
