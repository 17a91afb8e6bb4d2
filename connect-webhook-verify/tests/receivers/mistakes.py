"""Makes the mistakes that users make, and prints what they are told about each.

Arguments: the modules with `verify` and `explain`.
"""

import base64
import hashlib
import hmac
import json
import runpy
import sys
import time

verify = runpy.run_path(sys.argv[1])["verify"]
explain = runpy.run_path(sys.argv[2])["explain"]

secret = "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cw"
body = b'{"id":"evt_1","data":{"price":1.0}}'
now = int(time.time())
v1 = hmac.new(secret.encode(), f"{now}.".encode() + body, hashlib.sha256).hexdigest()
signed = f"t={now},v1={v1}".encode()


def told(mistake, header=signed, given=body, secrets=(secret,), at=now):
    try:
        taken = verify(header, given, secrets, at) == 200
        said = "taken" if taken else explain(header, given, secrets, at)
    except TypeError as error:
        said = error
    print(f"{mistake}: {said}")


told("none")
told("parsed body", given=json.loads(body))
told("body as text", given=body.decode())
told("body printed again", given=json.dumps(json.loads(body)).encode())
told("wrong secret", secrets=["whsec_of_another_webhook"])
told("secret without its prefix", secrets=[secret[6:]])
told("secret decoded from base64", secrets=[base64.b64decode(secret[6:] + "==")])
told("clock an hour ahead", at=now + 3600)
told("no header", header=None)
