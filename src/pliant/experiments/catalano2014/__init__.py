"""The Pisa/IIT SoftHand: Catalano et al., IJRR 33(5), 2014."""
