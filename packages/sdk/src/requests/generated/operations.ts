// Generated from the API trees of @edge-controller/shared-types by scripts/generate-sdk-operations.ts.
import { readOperations } from '../read-operations.ts';

const inBoth = `authentication=authenticate /mfa:Pebp
controllers list=/
current-identity get=/:Gd
current-identity/authenticators + update=:Ueb patch=:Aeb extend:Pdb extend-verify:Peb
current-identity/mfa create=/:Pdp get=/:Gdp delete=/:Deh /verify:Pebp /qr-code:Gfp!image/png /recovery-codes:Gdh createRecoveryCodes=/recovery-codes:Peb
enumerated-capabilities list=/:Gla
network-jwts list=/:Gla
specs list=/:Gla get=:Gda spec:Gfa!text/yaml openapi=//openapi.json:Gfa!application/json swagger=//swagger.json:Gfa!application/json
version get=/:Gda root=//:Gda
.well-known caCertificates=/est/cacerts:Gfa!application/pkcs7-mime`;

export const clientOperations = readOperations(`${inBoth}
services + edge-routers:Gdh terminators
current-api-session get=/:Gdqp delete=/:Dep /service-updates:Gdq
current-api-session/certificates + create=/:Pdb delete=:De
current-identity/api-sessions + delete=:De endOthers=/:De
current-identity/edge-routers list=/
current-identity/events list=/:Gl
enroll enroll=/:Pdqba /ott:Pdba /ottca:Pdba /erott:Pdba /extend/router:Pdba /ca:Pdba /token:Pdhba /updb:Pdqba
external-jwt-signers list=/:Glqa
postureResponses=posture-response create=/:Pdb createBulk=//posture-response-bulk:Pdb
protocols get=/:Gda
sessions + create=/:Pdb delete=:De`);

export const managementOperations = readOperations(`${inBoth}
authenticators * re-enroll:Pdb request-extend:Peb
auth-policies *
cas * verify:Peb jwt:Gf!application/jwt
configs * services
config-types * configs
edge-router-policies * edge-routers identities
edge-routers * re-enroll:Pe roleAttributes=//edge-router-role-attributes edge-router-policies identities service-edge-router-policies services
enrollments + create=/:Pdb delete=:De refresh:Peb
external-jwt-signers * test:Pdb
identities * disable:Peb enable:Pe removeMfa=mfa:De posture-data:Gd failed-service-requests:Gl policyAdvice=policy-advice/{serviceId}:Gd service-configs:Gl assignServiceConfigs=service-configs:Peb removeServiceConfigs=service-configs:Deb roleAttributes=//identity-role-attributes authenticators edge-router-policies edge-routers enrollments service-policies services
identity-types +
posture-checks * roleAttributes=//posture-check-role-attributes
posture-check-types +
service-edge-router-policies * edge-routers services
service-policies * services identities posture-checks
services * roleAttributes=//service-role-attributes configs edge-routers identities service-edge-router-policies service-policies terminators
terminators *
transit-routers *
api-sessions + delete=:De
audit-log list=/ /checkpoints:Gl
circuits +
current-api-session get=/:Gdqp delete=/:Dep
links + delete=:De
routers *
sessions + delete=:De route-path:Gd
summary get=/:Gd`);
